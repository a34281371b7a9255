"""The JAX adapter, on JAX itself."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from nanlint.runtime.events import Alert, Birth, Filtered, Module, Observed, Op, Step
from nanlint.runtime.options import Options
from nanlint.runtime.recorder import NonFinite, Recorder
from nanlint.runtime.runfile import read_run
from tests.frameworks import lazily
from tests.runtime.running import verify
from tests.runtime.watched import watched
from tests.sampling import sample

jax = lazily("jax")
jnp = lazily("jax.numpy")
np = lazily("numpy")
JaxAdapter = lazily("nanlint.runtime.adapters.jax", "JaxAdapter")


class Run:
    """A watch over this process, and what it wrote."""

    def __init__(self, directory: Path, watch: str = "all", **options: Any) -> None:
        self.directory = str(directory)
        self.recorder = Recorder(Options(directory=self.directory, watch=watch, **options))
        self.adapter = JaxAdapter(self.recorder)
        self.recorder.adapters.append(self.adapter)
        self.adapter.start()

    def events(self, kind: type) -> list[Any]:
        self.adapter.stop()
        return [event for _, event in read_run(self.directory) if isinstance(event, kind)]

    def births(self) -> list[Birth]:
        assert [alert.message for alert in self.events(Alert) if alert.alert in ("internal", "unwatched")] == []
        return self.events(Birth)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    found = Run(tmp_path)
    yield found
    found.adapter.stop()


def blamed(birth: Birth) -> str:
    """The source of the line that a birth is blamed on."""
    return (birth.forward if birth.backward else birth.frames)[0].text


def same(a: Any, b: Any) -> bool:
    """Whether two results are the same: structure, types, placement, and every bit."""
    left, right = jax.tree.flatten(a), jax.tree.flatten(b)
    return left[1] == right[1] and all(
        (x.aval, x.weak_type, x.sharding, x.committed) == (y.aval, y.weak_type, y.sharding, y.committed)
        and np.asarray(x).tobytes() == np.asarray(y).tobytes()
        for x, y in zip(left[0], right[0], strict=True)
    )


# ── births ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_birth_in_jit_has_its_line_its_operands_and_their_breakdown(run: Run) -> None:
    @jax.jit
    def loss(x: Any) -> Any:
        y = x - 1
        return jnp.log(y).sum()

    loss(jnp.array([1.0, 2.0, 3.0]))
    (birth,) = run.births()
    assert (birth.op, birth.kinds, birth.compiled) == ("log", ("ninf",), "jit")
    assert blamed(birth) == "return jnp.log(y).sum()"
    assert (birth.inputs[0].health.zero, birth.inputs[0].health.pos) == (1, 2)
    assert birth.outputs[0].health.ninf == 1
    assert birth.inputs[0].values[0] == "0.0"


def test_a_birth_of_the_backward_pass_is_blamed_on_the_forward_line(run: Run) -> None:
    def loss(x: Any) -> Any:
        length = jnp.sqrt(x)
        return jnp.sum(length * 2)

    jax.jit(jax.grad(loss))(jnp.zeros(2))
    birth = run.births()[0]
    assert birth.kinds == ("pinf",)
    assert birth.backward
    assert blamed(birth) == "length = jnp.sqrt(x)"


def test_a_part_that_jax_traced_for_another_line_is_blamed_on_its_own(run: Run) -> None:
    def lengths(a: Any, b: Any) -> Any:
        first = jnp.linalg.norm(a)
        second = jnp.linalg.norm(b)
        return first + second

    jax.jit(jax.grad(lengths, argnums=1))(jnp.ones(3), jnp.zeros(3))
    assert blamed(run.births()[0]) == "second = jnp.linalg.norm(b)"


def test_a_nan_that_passes_through_is_no_birth(run: Run) -> None:
    through = jax.jit(lambda x: jnp.exp(x * 2).sum() + jnp.where(x > 0, x, -jnp.inf).max())
    through(jnp.array([np.nan, np.inf]))
    assert run.births() == []


def test_a_mask_of_minus_inf_is_silent_and_a_row_of_it_is_one_birth(run: Run) -> None:
    @jax.jit
    def weights(scores: Any, seen: Any) -> Any:
        return jax.nn.softmax(jnp.where(seen, scores, -jnp.inf))

    weights(jnp.ones((2, 3)), jnp.array([[True, True, False], [True, False, False]]))
    run.adapter._calls.read(0)
    assert run.recorder._births == {}
    weights(jnp.ones((2, 3)), jnp.array([[True, True, False], [False, False, False]]))
    (birth,) = run.births()
    assert birth.kinds == ("nan",)


def test_births_in_loops_branches_and_parts(run: Run) -> None:
    def turn(state: Any, x: Any) -> Any:
        state = state - 1
        return state, jnp.log(jnp.abs(state)) * x

    @jax.jit
    def everything(x: Any) -> Any:
        scanned = jax.lax.scan(turn, 2.0, x)[1].sum()
        looped = jax.lax.while_loop(lambda s: s < 1e30, lambda s: jnp.exp(s), x[0] + 1)
        branched = jax.lax.cond(x[0] > 5, lambda v: v, lambda v: v / (x[0] - x[0]), x[1])
        parted = jax.checkpoint(lambda v: jnp.arccos(v + 2))(x[1])
        return scanned, looped, branched, parted

    everything(jnp.array([1.0, 2.0, 3.0]))
    found = {(birth.op, birth.kinds): blamed(birth) for birth in run.births()}
    assert found == {
        ("log", ("ninf",)): "return state, jnp.log(jnp.abs(state)) * x",
        ("exp", ("pinf",)): "looped = jax.lax.while_loop(lambda s: s < 1e30, lambda s: jnp.exp(s), x[0] + 1)",
        ("div", ("pinf",)): "branched = jax.lax.cond(x[0] > 5, lambda v: v, lambda v: v / (x[0] - x[0]), x[1])",
        ("acos", ("nan",)): "parted = jax.checkpoint(lambda v: jnp.arccos(v + 2))(x[1])",
    }


def test_a_birth_that_a_relu_or_a_quotient_hides_is_found(run: Run) -> None:
    @jax.jit
    def hiding(x: Any) -> Any:
        below = jax.nn.relu(jnp.log(x))
        return below + 1 / jnp.exp(x + 200)

    assert np.isfinite(hiding(jnp.zeros(2))).all()
    assert {(birth.op, birth.kinds) for birth in run.births()} == {("log", ("ninf",)), ("exp", ("pinf",))}


def test_a_nan_that_is_replaced_is_told(run: Run) -> None:
    @jax.jit
    def replaced(x: Any) -> Any:
        return jnp.nan_to_num(x / x)

    replaced(jnp.zeros(2))
    assert [alert.alert for alert in run.events(Alert)] == ["hidden-nan"]


def test_eager_ops_are_blamed_on_the_line_that_calls_them(run: Run) -> None:
    x = jnp.zeros(2)
    jnp.log(x + 1)
    y = jnp.log(x)
    z = jnp.log(x * 1)
    assert not np.isfinite(y + z).any()
    assert [blamed(birth) for birth in run.births()] == ["y = jnp.log(x)", "z = jnp.log(x * 1)"]


def test_a_custom_gradient_is_watched(run: Run) -> None:
    @jax.custom_vjp
    def scaled(x: Any) -> Any:
        return x * 2

    scaled.defvjp(lambda x: (x * 2, x), lambda x, g: (g / x,))
    jax.jit(jax.grad(lambda x: scaled(x).sum()))(jnp.zeros(2))
    (birth,) = run.births()
    assert (birth.op, birth.kinds) == ("div", ("pinf",))


@pytest.mark.parametrize("kind", ["vjp", "jvp"])
def test_a_birth_in_a_rule_of_a_derivative_is_blamed_on_its_own_line(run: Run, kind: str) -> None:
    def doubled(x: Any) -> Any:
        return x * 2

    if kind == "vjp":
        doubled = jax.custom_vjp(doubled)
        doubled.defvjp(lambda x: (x * 2, x), lambda x, g: (g / x,))  # here
    else:
        doubled = jax.custom_jvp(doubled)
        doubled.defjvp(lambda given, moved: (given[0] * 2, moved[0] / given[0]))  # here

    def turn(state: Any, x: Any) -> Any:
        return state + doubled(x), state

    jax.jit(jax.grad(lambda xs: jax.lax.scan(jax.checkpoint(turn), 0.0, xs)[0]))(jnp.array([1.0, 0.0]))
    assert {blamed(birth).partition("#")[2] for birth in run.births()} == {" here"}


def test_the_decorator_of_a_rule_gives_it_back(run: Run) -> None:
    doubled = jax.custom_jvp(lambda x: x * 2)

    @doubled.defjvp
    def rule(given: Any, moved: Any) -> Any:
        return given[0] * 2, moved[0] * 3

    assert float(jax.grad(doubled)(1.0)) == 3
    assert rule((1.0,), (2.0,)) == (2.0, 6.0)
    assert rule.__code__.co_filename == __file__


def test_a_birth_on_the_devices_of_a_mesh(run: Run) -> None:
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("d",))
    rows = jax.sharding.PartitionSpec("d")

    def share(x: Any) -> Any:
        total = jax.lax.psum(x.sum(), "d")
        return jnp.log(x + total)

    shares = jax.jit(jax.shard_map(share, mesh=mesh, in_specs=rows, out_specs=rows))
    shares(jnp.array([1.0, -1.0]))
    (birth,) = run.births()
    assert (birth.op, birth.kinds, birth.note) == ("log", ("nan",), "in the shard_map")
    assert blamed(birth) == "return jnp.log(x + total)"


def test_what_comes_from_outside_is_recorded_so_that_the_values_of_a_birth_are_at_hand(run: Run) -> None:
    from jax.experimental import io_callback

    scale = jax.new_ref(jnp.zeros(2))
    asked = []

    @jax.jit
    def told(x: Any) -> Any:
        offset = io_callback(lambda: asked.append(1) or np.float32(2), jax.ShapeDtypeStruct((), jnp.float32))
        scaled = (x + offset) * scale[...]
        scale[...] = x
        return jnp.log(scaled)

    told(jnp.ones(2))
    scale[...] = jnp.full(2, 5.0)
    jax.effects_barrier()
    (birth,) = run.births()
    assert (blamed(birth), birth.note, birth.inputs[0].values) == ("return jnp.log(scaled)", "", ("0.0", "0.0"))
    assert asked == [1]


def test_a_callback_that_gives_nothing_back_does_not_hide_the_values_of_a_loop(run: Run) -> None:
    heard = []

    def turn(state: Any, x: Any) -> Any:
        jax.debug.callback(heard.append, x, ordered=True)
        return state / x, jax.lax.cond(x > 0, lambda x: jax.debug.callback(heard.append, x) or x, jnp.abs, x)

    jax.jit(lambda xs: jax.lax.scan(turn, 1.0, xs))(jnp.array([2.0, 0.0, 3.0]))
    jax.effects_barrier()
    (birth,) = run.births()
    assert (birth.op, birth.note, birth.inputs[1].values) == ("div", "in iteration 1 of the scan", ("0.0",))
    assert len(heard) == 5


def test_why_values_are_not_at_hand_is_told(run: Run) -> None:
    from jax.experimental import io_callback

    def turn(state: Any, x: Any) -> Any:
        asked = io_callback(lambda: np.float32(0), jax.ShapeDtypeStruct((), jnp.float32))
        return x / asked, asked

    jax.jit(lambda xs: jax.lax.scan(turn, 1.0, xs))(jnp.ones(3))
    jax.effects_barrier()
    (birth,) = run.births()
    assert (birth.op, birth.kinds) == ("div", ("pinf",))
    assert birth.note == (
        "the values are not available: io_callback, in a loop or branch, depends on something outside the function"
    )


def test_a_birth_of_the_backward_pass_of_a_loop_is_backward(run: Run) -> None:
    def turn(state: Any, x: Any) -> Any:
        return state + jnp.sqrt(x), state

    jax.jit(jax.grad(lambda xs: jax.lax.scan(turn, 0.0, xs)[0]))(jnp.array([1.0, 0.0]))
    (birth,) = run.births()
    assert birth.backward
    assert blamed(birth) == "return state + jnp.sqrt(x), state"


def test_a_known_pattern_is_replayed_ever_more_rarely_and_told_every_time(run: Run) -> None:
    replays = []
    births = next(reader for reader in run.adapter._calls._readers if type(reader).__name__ == "Births")
    original = births._births
    births._births = lambda *args: replays.append(1) or original(*args)
    step = jax.jit(lambda x: jnp.log(x).sum() + (1 / x).sum())  # of zeros three births, the third at the +
    for _ in range(20):
        step(jnp.zeros(2))
    step(jnp.full(2, -1.0))
    run.adapter.stop()
    assert len(replays) == 6  # calls 1, 2, 4, 8 and 16, and the last
    assert sorted(run.recorder._counts.values()) == [1, 20, 20, 20]


def test_what_is_given_bad_is_another_pattern(run: Run) -> None:
    step = jax.jit(lambda x: (x - 1) / (x - 1))
    for x in ([1.0, 2.0], [np.nan, 2.0], [1.0, 2.0]):
        step(jnp.array(x))
    (birth,) = run.births()
    assert (birth.op, birth.kinds) == ("div", ("nan",))
    assert list(run.recorder._counts.values()) == [2]


def test_the_ops_around_a_birth_are_connected(run: Run) -> None:
    def turn(state: Any, x: Any) -> Any:
        return state + jnp.log(x), state

    @jax.jit
    def loss(x: Any, y: Any) -> Any:
        scaled = x * 2
        shifted = jnp.sin(y)
        total, _ = jax.lax.scan(turn, 0.0, scaled)
        return total, shifted / scaled

    loss(jnp.zeros(2), jnp.ones(2))
    inner, outer = run.births()
    ops = {event.number: event for event in run.events(Op)}
    assert [ops[one.source].op for one in outer.inputs] == ["sin", "mul"]
    assert [ops[i].op for i in next(op for op in ops.values() if op.op == "scan").inputs] == ["mul"]
    assert ops[inner.inputs[0].source].op == "mul"


def test_stop_at_the_birth(tmp_path: Path) -> None:
    run = Run(tmp_path, on_nan="stop")
    step = jax.jit(lambda x: jnp.log(x))
    try:
        step(jnp.ones(2))
        with pytest.raises(NonFinite, match="first appeared in log"):
            step(jnp.zeros(2))
    finally:
        run.adapter.stop()


def test_what_is_counted_again_holds_no_arrays(run: Run) -> None:
    step = jax.jit(lambda x: jnp.log(x))
    for _ in range(5):
        step(jnp.zeros(2))
    run.adapter._calls.read(0)
    (birth,) = run.recorder._counts.values()
    assert birth == 5


# ── the program's own behaviour ─────────────────────────────────────────────────────────────────────────────────────


def unwatched(function: Callable[[], Any]) -> Any:
    """What a program gives without the watch, its caches empty as at its start."""
    jax.clear_caches()
    return function()


@functools.cache
def numbers() -> tuple[Any, Any]:
    """A key, and what was drawn with it."""
    key = jax.random.key(3)
    return key, jax.random.normal(key, (5, 7))


def static(state: Any, by: Any, *, power: int) -> Any:
    return {"state": state * by**power, "by": (by, 1.5)}


def body(carry: Any, row: Any) -> Any:
    return carry * 0.9 + row.sum(), (jnp.exp(-row), carry)


def attention(x: Any) -> Any:
    weights = jax.nn.softmax(jnp.where(jnp.tril(jnp.ones((5, 5), bool)), x @ x.T, -jnp.inf))
    return jnp.sum(jax.nn.gelu(weights @ x) ** 2) / jnp.std(x)


def loop(x: Any) -> Any:
    return jax.lax.while_loop(lambda s: s[0] < 9, lambda s: (s[0] + 1, jnp.sin(s[1]) * 1.1), (0, x))


PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "static, donated, a tree": lambda _, x: jax.jit(static, static_argnames="power", donate_argnums=0)(
        jnp.array(x), 2.0, power=3
    ),
    "donated and handed on": lambda _, x: jax.jit(lambda s: (s, s * 2), donate_argnums=0)(jnp.array(x)),
    "scan": lambda _, x: jax.jit(lambda x: jax.lax.scan(body, 0.0, x, reverse=True, unroll=2))(x),
    "scan, eager": lambda _, x: jax.lax.scan(body, 0.0, x),
    "grad": lambda _, x: jax.jit(jax.value_and_grad(attention))(x),
    "grad, eager": lambda _, x: jax.grad(attention)(x),
    "vmap of grad": lambda _, x: jax.jit(jax.vmap(jax.grad(lambda row: jnp.sum(jnp.tanh(row) ** 3))))(x),
    "while": lambda _, x: jax.jit(loop)(x),
    "vmap of while": lambda _, x: jax.jit(jax.vmap(loop))(x),
    "remat": lambda _, x: jax.jit(jax.grad(jax.checkpoint(attention)))(x),
    "cond": lambda _, x: jax.jit(lambda x: jax.lax.cond(x[0, 0] > 0, jnp.log1p, jnp.sqrt, jnp.abs(x)))(x),
    "keys": lambda key, _: jax.random.key_data(jax.jit(lambda k: jax.random.split(k)[0])(key)),
    "random": lambda key, _: jax.random.normal(key, (9,)) + jax.random.gumbel(key, (9,)),
    "weak types": lambda *_: jax.jit(lambda a: (a * 2, jnp.float32(1) * a))(1.5),
    "half": lambda _, x: jax.jit(lambda x: (x.astype(jnp.bfloat16) / 3, x.astype(jnp.float16) * 2))(x),
    "complex": lambda _, x: jax.jit(lambda x: jnp.fft.fft(x) * 1j)(x),
    "linear algebra": lambda _, x: jax.jit(lambda x: jnp.linalg.svd(x @ x.T)[1] + jnp.linalg.eigh(x @ x.T)[0])(x),
    "empty": lambda _, x: jax.jit(lambda x: jnp.log(x[:0]).sum() + x.max())(x),
    "integers": lambda _, x: jax.jit(lambda x: jnp.argsort(x) // 2)(x),
}


@pytest.mark.parametrize("name", sample(list(PROGRAMS), 6, "bits"))
def test_results_are_the_same_to_the_bit(tmp_path: Path, name: str) -> None:
    program = functools.partial(PROGRAMS[name], *numbers())
    expected = unwatched(program), program()
    run = Run(tmp_path)
    try:
        actual = program(), program()
    finally:
        births = run.births()
    assert same(actual, expected)
    assert births == []
    assert same(program(), expected[0])


def test_errors_of_the_program_are_its_own(run: Run) -> None:
    @jax.jit
    def wrong(x: Any) -> Any:
        return x @ x

    with pytest.raises(TypeError, match="dot_general"):
        wrong(jnp.ones((2, 3)))
    with pytest.raises(jax.errors.TracerBoolConversionError):
        jax.jit(lambda x: 1 if x > 0 else 2)(1.0)


def test_callbacks_of_the_program_are_called_once(run: Run) -> None:
    heard: list[Any] = []

    @jax.jit
    def telling(x: Any) -> Any:
        jax.debug.callback(heard.append, x)
        return jnp.log(x)

    telling(0.0)
    jax.effects_barrier()
    (birth,) = run.births()
    assert [float(x) for x in heard] == [0.0]
    assert birth.op == "log"


def test_a_function_is_traced_once(run: Run) -> None:
    traces = []

    @jax.jit
    def counted(x: Any) -> Any:
        traces.append(x.shape)
        return jnp.exp(x)

    for shape in ((2,), (2,), (3,), (2,)):
        counted(jnp.ones(shape))
    assert traces == [(2,), (3,)]


def test_what_was_donated_is_gone(run: Run) -> None:
    x = jnp.ones(4)
    jax.jit(lambda x: jnp.exp(x), donate_argnums=0)(x)
    run.adapter.stop()
    assert x.is_deleted()


def test_what_is_compiled_ahead_of_time_is_watched_and_called_as_before(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not hasattr(jax.stages.Traced, "lojax"):
        pytest.skip("this JAX does not say how jit would call it")
    from jax._src import pjit

    options = []

    def bind(*given: Any, original: Any = pjit.jit_p.bind, **params: Any) -> Any:
        options.append(params["compiler_options_kvs"])
        return original(*given, **params)

    def step(state: Any, x: Any) -> Any:
        return {"sum": state["sum"] + jnp.log(x).sum()}, state["sum"]

    alone = jax.jit(step, donate_argnums=0)
    lowered = alone.lower({"sum": jnp.zeros(())}, jnp.ones(2))
    compiled = lowered.compile(compiler_options={"xla_cpu_enable_fast_math": False})
    state = {"sum": jnp.ones(())}
    expected = step(state, jnp.array([0.5, 3.0]))
    with monkeypatch.context() as here:
        here.setattr(pjit.jit_p, "bind", bind)
        assert same(compiled(state, jnp.array([0.5, 3.0])), jax.block_until_ready(expected))
    assert (("xla_cpu_enable_fast_math", False),) in options
    with pytest.raises(TypeError, match="float32"):
        compiled({"sum": jnp.zeros(())}, jnp.ones(3))
    with pytest.raises(TypeError):
        jax.jit(compiled)({"sum": jnp.zeros(())}, jnp.ones(2))
    compiled({"sum": jnp.zeros(())}, jnp.array([0.0, 1.0]))
    (birth,) = run.births()
    assert state["sum"].is_deleted()
    assert (birth.op, blamed(birth)) == ("log", 'return {"sum": state["sum"] + jnp.log(x).sum()}, state["sum"]')
    assert float(compiled({"sum": jnp.zeros(())}, jnp.ones(2))[0]["sum"]) == 0.0  # when nothing is watched any more


def test_what_is_flagged_in_an_exported_function_is_not_called_unreached(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import jax\nimport jax.numpy as jnp\nfrom jax import export\n"
        "@jax.jit\ndef loss(x):\n    return jnp.log(jax.nn.softmax(x))\n"
        "made = export.export(loss)(jax.ShapeDtypeStruct((2,), jnp.float32))\n"
        "print(made.call(jnp.array([0.0, 200.0]))[0])\n",
        "utf-8",
    )
    ran = verify("train.py", cwd=tmp_path)
    assert (ran.stdout, ran.verdicts()) == ("-inf\n", [("NL101", "not watched")])


def test_stop_leaves_jax_as_it_was(tmp_path: Path) -> None:
    from jax._src import pjit

    before = pjit._pjit_call_impl_python
    run = Run(tmp_path)
    assert pjit._pjit_call_impl_python is not before
    step = jax.jit(lambda x: jnp.log(x))
    step(jnp.ones(2))
    run.adapter.stop()
    assert pjit._pjit_call_impl_python is before
    step(jnp.zeros(2))
    assert run.births() == []


# ── what arrays hold ────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_breakdown_of_arrays(run: Run) -> None:
    adapter = run.adapter
    assert adapter.health(jnp.array([-np.inf, -1, 0, 2, np.inf, np.nan])).counts == (1, 1, 1, 1, 1, 1)
    assert adapter.health(jnp.array([1, -2], jnp.bfloat16)).counts == (0, 1, 0, 1, 0, 0)
    assert adapter.health(jnp.array([1.0, 0.0], jnp.float8_e4m3fn)).counts == (0, 0, 1, 1, 0, 0)
    assert adapter.health(jax.random.key(0)).counts == (0,) * 6
    assert adapter.numbers(jnp.arange(5.0), 2) == [0.0, 1.0]
    assert adapter.glance(jnp.array([3.0, -1.0])) == (-1.0, 3.0)
    assert adapter.glance(jnp.array([3.0, np.inf])) is None


def test_tracers_have_no_numbers(run: Run) -> None:
    seen = []
    jax.make_jaxpr(lambda x: seen.append((run.adapter.owns(x), run.adapter.concrete(x))) or x)(1.0)
    assert seen == [(True, False)]
    assert run.adapter.concrete(jnp.ones(1))
    assert not run.adapter.owns(np.ones(1))


# ── flagged expressions ─────────────────────────────────────────────────────────────────────────────────────────────

FLAGGED = """
import jax
import jax.numpy as jnp

def surprise(p):
    return -jnp.log(p).mean()

def distance(a, b):
    return jnp.sqrt(jnp.sum((a - b) ** 2))

def turn(state, p):
    return state + jnp.log(p), state

jitted = jax.jit(surprise)
grown = jax.jit(jax.vmap(jax.grad(distance), in_axes=(0, None)))
scanned = jax.jit(lambda p: jax.lax.scan(turn, 0.0, p))
elsewhere = jax.jit(lambda x: jnp.exp(x).sum())
"""


def flagged(tmp_path: Path, watch: str = "sites", **options: Any) -> tuple[Run, dict[str, Any]]:
    """A run over a module with flagged expressions, and what the module defines."""
    from nanlint.diagnostic import Probe, Span
    from nanlint.runtime.sites import Site, site_of

    path = tmp_path / "program.py"
    path.write_text(FLAGGED)
    lines = FLAGGED.split("\n")

    def site(text: str, op: str, operand: str, gradient: bool = False) -> Site:
        row = next(i for i, line in enumerate(lines, 1) if text in line)
        column = lines[row - 1].index(text) + 1
        whole = Span(row, column, row, column + len(text))
        start = column + len(text.split("(")[0]) + 1
        inner = Span(row, start, row, start + len(operand))
        probe = Probe(whole, op, "jax", (("x", inner),), "x", 0.0, "zero", gradient)
        return site_of(probe, key=f"{row}", path=str(path), code="NL", finding=whole)

    sites = [
        site("jnp.log(p)", "log", "p"),
        site("jnp.sqrt(jnp.sum((a - b) ** 2))", "sqrt", "jnp.sum((a - b) ** 2)", True),
    ]
    scan_row = next(i for i, line in enumerate(lines, 1) if "state + jnp.log(p)" in line)
    column = lines[scan_row - 1].index("jnp.log(p)") + 1
    whole, inner = Span(scan_row, column, scan_row, column + 10), Span(scan_row, column + 8, scan_row, column + 9)
    probe = Probe(whole, "log", "jax", (("x", inner),), "x", 0.0, "zero")
    sites.append(site_of(probe, key="scan", path=str(path), code="NL", finding=whole))
    run = Run(tmp_path, watch, **options)
    run.recorder.watch_module(Module(str(path), "0"), sites)
    space: dict[str, Any] = {}
    exec(compile(FLAGGED, str(path), "exec"), space)
    return run, space


def seen(run: Run) -> dict[str, Observed]:
    """The last that was observed at each site."""
    run.adapter.stop()
    run.recorder.end()
    return {event.site: event for _, event in read_run(run.directory) if isinstance(event, Observed)}


def test_a_flagged_expression_in_jit_is_observed(tmp_path: Path) -> None:
    run, space = flagged(tmp_path)
    for p in ([0.5, 0.25], [0.5, 0.125], [1.0, 0.0]):
        space["jitted"](jnp.array(p))
    (observed,) = seen(run).values()
    assert observed.executions == 3
    assert (observed.roles["x"].zero, observed.roles["x"].pos) == (1, 5)
    assert observed.roles["result"].ninf == 1
    assert (observed.closest, observed.bad_step, observed.kinds) == (0.0, 2, ("ninf",))
    (birth,) = run.births()
    assert (birth.op, birth.kinds, birth.frames[0].text) == ("log", ("ninf",), "return -jnp.log(p).mean()")


def test_the_gradient_of_a_flagged_expression_under_vmap(tmp_path: Path) -> None:
    run, space = flagged(tmp_path)
    space["grown"](jnp.array([[1.0, 2.0], [0.0, 0.0]]), jnp.zeros(2))
    (observed,) = seen(run).values()
    assert (observed.roles["x"].zero, observed.roles["x"].pos) == (1, 1)
    assert observed.roles["gradient of x"].pinf == 1
    assert observed.kinds == ("pinf",)


def test_a_flagged_expression_in_a_scan_is_observed_at_every_turn(tmp_path: Path) -> None:
    run, space = flagged(tmp_path)
    space["scanned"](jnp.array([1.0, 0.5, 2.0, 4.0]))
    (observed,) = seen(run).values()
    assert observed.executions == 4
    assert (observed.roles["x"].low, observed.roles["x"].high) == (0.5, 4.0)


def test_a_function_with_nothing_flagged_is_left_alone(tmp_path: Path) -> None:
    run, space = flagged(tmp_path)
    space["elsewhere"](jnp.ones(2))
    assert all(function.probed == () for function in run.adapter._calls._functions.values())
    assert seen(run) == {}


def test_all_births_and_what_came_by_at_flagged_expressions_are_watched_together(tmp_path: Path) -> None:
    run, space = flagged(tmp_path, "all")
    space["jitted"](jnp.array([1.0, 0.0]))
    (observed,) = seen(run).values()
    assert observed.roles["result"].ninf == 1
    assert {(birth.op, birth.kinds) for birth in run.births()} == {("log", ("ninf",))}


def test_a_flagged_expression_that_the_sentinel_leaves_alone_is_called_so(tmp_path: Path) -> None:
    run, space = flagged(tmp_path, "sentinel")
    space["jitted"](jnp.array([1.0, 0.5]))
    (observed,) = seen(run).values()
    assert (observed.unwatched, observed.executions) == (True, 0)


def test_numbers_of_a_gradient_without_jit(tmp_path: Path) -> None:
    adapter = Run(tmp_path, "sites").adapter
    found = []
    jax.grad(lambda x: found.append((adapter.concrete(x), adapter.health(x).zero)) or x * 2)(0.0)
    adapter.stop()
    assert found == [(True, 1)]


def test_the_sentinel_hears_of_a_loss_that_is_not_finite(tmp_path: Path) -> None:
    run = Run(tmp_path, "sentinel")
    step = jax.jit(lambda w: (w - 1, jnp.log(w).sum()))
    w = jnp.array([3.0])
    for _ in range(6):
        w, _ = step(w)
    alert = run.events(Alert)[0]
    assert (alert.alert, alert.message, alert.step) == ("non-finite", "the loss is -inf", 3)


def test_a_loss_that_is_not_finite_stops_the_program_if_it_is_to_stop(tmp_path: Path) -> None:
    run = Run(tmp_path, "sentinel", on_nan="stop")
    step = jax.jit(lambda w: jnp.log(w).sum())
    step(jnp.array([1.0]))
    with pytest.raises(FloatingPointError, match="step 1: the loss is -inf"):
        step(jnp.array([0.0]))
    assert len(run.events(Alert)) == 1


def test_the_sentinel_tells_the_norm_of_the_gradient_of_some_steps(tmp_path: Path) -> None:
    def loss(w: Any) -> Any:
        return jnp.sum(w["a"] ** 2) + 2 * jnp.sum(w["b"])

    def trained() -> Any:
        @functools.partial(jax.jit, donate_argnums=0)
        def step(w: Any) -> Any:
            value, gradients = jax.value_and_grad(loss)(w)
            return jax.tree.map(lambda p, g: p - 0.1 * g, w, gradients), value

        w = {"a": jnp.array([3.0, 4.0]), "b": jnp.ones(3)}
        for _ in range(70):
            w, _ = step(w)
        return w

    expected = unwatched(trained)
    run = Run(tmp_path, "sentinel")
    assert same(trained(), expected)
    steps = [event.numbers for event in run.events(Step)]
    assert len(steps) == 70
    assert [i for i, numbers in enumerate(steps) if "gradient_norm" in numbers] == [0, 1, 2, 3, 32, 64]
    assert all("loss" in numbers for numbers in steps)
    assert float(steps[0]["gradient_norm"]) == pytest.approx((6**2 + 8**2 + 3 * 2**2) ** 0.5)


def test_the_sentinel_hears_of_a_gradient_that_is_not_finite(tmp_path: Path) -> None:
    run = Run(tmp_path, "sentinel")
    step = jax.jit(lambda w: jax.value_and_grad(lambda w: jnp.sqrt(w).sum())(w))
    step(jnp.ones(3))
    step(jnp.zeros(3))
    (alert,) = run.events(Alert)
    assert (alert.alert, alert.message, alert.step) == ("non-finite", "the gradient norm is inf", 1)


# ── what is seen beside births ──────────────────────────────────────────────────────────────────────────────────────


def test_a_gradient_that_is_zero_all_along_is_dead(run: Run) -> None:
    def loss(parameters: Any, x: Any) -> Any:
        return jnp.sum(parameters["used"] * x + jax.lax.stop_gradient(parameters["frozen"]))

    @jax.jit
    def step(parameters: Any, x: Any) -> Any:
        return jax.tree.map(lambda p, g: p - g, parameters, jax.grad(loss)(parameters, x))

    parameters = {"used": jnp.ones(3), "frozen": jnp.ones(3)}
    for _ in range(3):
        parameters = step(parameters, jnp.ones(3))
    (alert,) = run.events(Alert)
    assert (alert.alert, alert.message) == (
        "dead-gradient",
        "the gradient of argument ['frozen'] was zero in all 3 steps",
    )
    assert "jax.grad(loss)" in alert.frames[0].text


def test_a_function_traced_under_one_watch_is_read_under_the_next(tmp_path: Path) -> None:
    @jax.jit
    def step(w: Any) -> Any:
        return jax.grad(lambda w: jnp.sum(0 * w))(w)

    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    first = Run(tmp_path / "first", "sentinel")
    step(jnp.ones(3))
    assert not first.events(Alert)
    second = Run(tmp_path / "second")
    for _ in range(3):
        step(jnp.ones(3))
    (alert,) = second.events(Alert)
    assert (alert.alert, alert.message) == ("dead-gradient", "the gradient of the argument was zero in all 3 steps")


def test_nan_in_the_data_is_told(run: Run) -> None:
    jax.jit(lambda batch: (batch * 2).sum())(jnp.array([[1.0, 2.0], [np.nan, 3.0]]))
    (alert,) = run.events(Alert)
    assert (alert.alert, alert.details) == ("nan-in-input", {"argument": "batch", "first": [1, 0]})


CLIPPED = {
    "in a loss": lambda x: jnp.clip(x, 2, 3).sum(),
    "from one side": lambda x: jnp.minimum(x, -9.0).sum(),
    "by lax": lambda x: jax.lax.clamp(2.0, x, 3.0).sum(),
    "in a scan": lambda x: jax.lax.scan(lambda c, row: (c + jnp.clip(row, 2, 3).sum(), row), 0.0, x)[0],
    "made again": lambda x: jax.checkpoint(lambda x: jnp.sin(jnp.clip(x * 1, 2, 3)).sum())(x),
}


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "eager"])
@pytest.mark.parametrize("name", list(CLIPPED))
def test_a_clip_that_holds_every_element_is_told(run: Run, name: str, compiled: bool) -> None:
    gradient = jax.grad(CLIPPED[name])
    (jax.jit(gradient) if compiled else gradient)(jnp.ones((2, 3)))
    (alert,) = run.events(Alert)
    assert alert.alert == "clip-holds-all"
    assert f'"{name}": ' in alert.frames[0].text


def test_a_clip_that_lets_an_element_through_or_no_gradient_is_silent(run: Run) -> None:
    through = jax.jit(jax.grad(lambda x: jnp.clip(x, 0, 3).sum() + jax.nn.relu6(x - 9).sum() + jax.nn.relu(-x).sum()))
    through(jnp.ones(3))
    jax.jit(lambda x: jnp.clip(x, 2, 3))(jnp.ones(3))
    assert run.events(Alert) == []


@pytest.mark.parametrize(("bound", "told"), [(0.5, True), (4.0, False)], ids=["both", "one and not the other"])
def test_a_clip_of_gradients_is_told_if_it_holds_all_in_every_step(run: Run, bound: float, told: bool) -> None:
    @jax.jit
    def step(w: Any) -> Any:
        gradients = jax.grad(lambda w: jnp.sum((w["a"] - 5) ** 2) + jnp.sum(w["b"] * 3))(w)
        return jax.tree.map(lambda p, g: p - 0.01 * jnp.clip(g, -bound, bound), w, gradients)

    w = {"a": jnp.ones(3), "b": jnp.ones(2)}
    for _ in range(4):
        w = step(w)
    messages = [alert.message for alert in run.events(Alert)]
    assert messages == ["a clip set all 5 elements of the gradient to a bound in all 4 steps"] * told


def test_a_clip_by_the_norm_is_told_if_it_sets_the_length_of_every_step(run: Run) -> None:
    optax = pytest.importorskip("optax")
    clip = optax.clip_by_global_norm(1e-3)

    @jax.jit
    def step(w: Any) -> Any:
        return w - clip.update(jax.grad(lambda w: jnp.sum(w**2))(w), (), None)[0]

    w = jnp.ones(3)
    for _ in range(12):
        w = step(w)
    (alert,) = run.events(Alert)
    assert alert.message.startswith("the norm of the gradient was above its bound in all 12 steps")
    assert alert.frames[0].text == "return w - clip.update(jax.grad(lambda w: jnp.sum(w**2))(w), (), None)[0]"


def test_filters_get_the_tensors_of_jitted_functions_and_of_eager_ops(tmp_path: Path) -> None:
    run = Run(tmp_path, filters=("range>100",))

    def turn(state: Any, x: Any) -> Any:
        wide = state * x
        return wide, x / 2

    jitted = jax.jit(lambda xs: jax.lax.scan(turn, 1.0, xs)[0] / 1e6)
    for _ in range(2):
        jitted(jnp.array([2.0, 50.0, 9.0]))
    eager = jnp.full(3, 2.0) * 70
    np.asarray(eager)
    found = [(event.tensor.name, event.frames[0].text, event.tensor.values) for event in run.events(Filtered)]
    assert found == [
        ("mul:0", "wide = state * x", ("900.0",)),
        ("scan:0", "jitted = jax.jit(lambda xs: jax.lax.scan(turn, 1.0, xs)[0] / 1e6)", ("900.0",)),
        ("mul:0", "eager = jnp.full(3, 2.0) * 70", ("140.0", "140.0", "140.0")),
    ]


def test_filters_at_findings_get_the_tensors_there(tmp_path: Path) -> None:
    run, space = flagged(tmp_path, filters=("range>1",))
    space["jitted"](jnp.array([0.5, 0.01]))
    events = run.events(Filtered)
    assert events[0].tensor.name == "log:0"
    assert {event.frames[0].text for event in events} == {"return -jnp.log(p).mean()"}


def test_calls_are_made_without_probes_until_enough_numbers_were_the_same(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nanlint.runtime.adapters.jax import calls

    monkeypatch.setattr(calls, "COMPARED", 7)
    step = jax.jit(lambda x: jnp.log(x))
    found = []
    for _ in range(4):
        step(jnp.ones(3))
        (function,) = [one for one in run.adapter._calls._functions.values() if one.users]
        found.append(function.same)
    assert found == [None, None, True, True]
    monkeypatch.setattr(calls, "_identical", lambda a, b: len(found) < 6)
    other = jax.jit(lambda x: jnp.sqrt(x))
    for _ in range(3):
        other(jnp.ones(3))
        found.append([one for one in run.adapter._calls._functions.values() if one.users][-1].same)
    assert found[4:] == [None, None, False]
    assert [alert.alert for alert in run.events(Alert)] == ["slow"]


@pytest.mark.parametrize("mode", ["sites", "sentinel"])
def test_what_was_given_away_is_not_asked_whether_it_is_done(tmp_path: Path, mode: str) -> None:
    step = jax.jit(lambda w: jnp.tanh(w @ w), donate_argnums=0)  # which takes so long that the next call comes before
    with watched([JaxAdapter], tmp_path, mode) as reported:
        w = jnp.full((700, 700), 0.001)
        for _ in range(9):
            w = step(w)
    assert not reported.told


def test_what_changes_the_rounding_is_done_without_where_it_can_be(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from nanlint.runtime.adapters.jax import calls

    asked = []
    monkeypatch.setattr(calls, "COMPARED", 3)
    monkeypatch.setattr(calls, "_identical", lambda a, b: asked.append(1) or len(asked) > 1)
    step = jax.jit(jax.grad(lambda x: jnp.log(jnp.clip(x, 2, 3) - 2).sum()))
    for _ in range(3):
        step(jnp.ones(3))
    (function,) = [one for one in run.adapter._calls._functions.values() if one.users]
    assert function.same
    assert [type(reader).__name__ for reader, _ in function.probed] == ["Births"]
    assert {alert.alert for alert in run.events(Alert)} == {"clip-holds-all", "non-finite"}  # 0 * inf is nan


@pytest.mark.parametrize("watch", ["sites", "all", "sentinel"])
@pytest.mark.parametrize("jitted", ["", "@jax.jit"])
def test_a_derivative_is_a_step_and_what_goes_bad_in_it_is_of_that_step(
    tmp_path: Path, watch: str, jitted: str
) -> None:
    """Whatever JAX and its library compile on the way."""
    (tmp_path / "steps.py").write_text(
        f"import jax, jax.numpy as jnp\n{jitted}\ndef loss(w, x):\n"
        "    return jnp.sum(jnp.log(jax.nn.relu(x @ w)))\n"
        "w = jnp.ones(3)\n"
        "for step in range(3):\n"
        "    v, g = jax.value_and_grad(loss)(w, jnp.ones((4, 3)) - step)\n"
        "    w = w - 0.1 * g\n"
        "    print('step', step, v)\n"
    )
    report = verify("steps.py", cwd=tmp_path, options=("--watch", watch)).report
    told = [(one["message"], one["step"]) for one in report["alerts"]]
    assert [step for message, step in told if "the loss is" in message] == [1], told
    first = [one["verdict"]["step"] for one in report["findings"] if one["verdict"]["state"] == "confirmed"]
    assert first in ([1], [])
    assert [one["step"] for one in report["born"] if not one["backward"]] in ([1], [])
