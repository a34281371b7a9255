"""PyTorch in eager code: what its tensors hold, what is born where, and that the program does not notice."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import nanlint
from nanlint.runtime import probing
from nanlint.runtime.events import Op, Step, Trace
from nanlint.runtime.recorder import NonFinite
from nanlint.runtime.verdicts import State
from tests.frameworks import lazily
from tests.runtime.watched import watched

torch = lazily("torch")
TorchAdapter = lazily("nanlint.runtime.adapters.torch", "TorchAdapter")
deferred = lazily("nanlint.runtime.adapters.torch.deferred")
eager = lazily("nanlint.runtime.adapters.torch.eager")

Watching = Callable[..., Any]


@pytest.fixture
def watching(tmp_path: Path) -> Watching:
    return partial(watched, [TorchAdapter], tmp_path)


class Silent:
    """A watch of nothing, for what an adapter says of tensors."""

    mode = "sites"
    prompt = filtering = repeats = False


def adapter() -> Any:
    return TorchAdapter(Silent())


# ── what a tensor holds ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_breakdown_counts_each_class(dtype: str) -> None:
    inf, nan = float("inf"), float("nan")
    health = adapter().health(
        torch.tensor([[-inf, -2, -0.5], [0, 3, inf], [inf, nan, -0.0]], dtype=getattr(torch, dtype))
    )
    assert health.counts == (1, 2, 2, 1, 2, 1)
    assert (health.low, health.high, health.near, health.dtype, health.shape) == (-2, 3, 0, dtype, (3, 3))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 2.0], (0, 0, 0, 2, 0, 0, 1, 2, 1)),
        ([-1.0, -2.0], (0, 2, 0, 0, 0, 0, -2, -1, 1)),
        ([0.0, 2.0], (0, 0, 1, 1, 0, 0, 0, 2, 0)),
        ([-3.0, 0.0], (0, 1, 1, 0, 0, 0, -3, 0, 0)),
        ([-3.0, 0.25], (0, 1, 0, 1, 0, 0, -3, 0.25, 0.25)),
        ([float("nan")], (0, 0, 0, 0, 0, 1, None, None, None)),
        ([], (0, 0, 0, 0, 0, 0, None, None, None)),
    ],
)
def test_range_and_least_magnitude(values: list[float], expected: tuple[Any, ...]) -> None:
    health = adapter().health(torch.tensor(values))
    assert (*health.counts, health.low, health.high, health.near) == expected


def test_breakdown_of_tensors_of_every_kind() -> None:
    dense = torch.tensor([[0.0, 2.0], [float("nan"), 0.0]])
    counted = {
        "bool": torch.tensor([True, False]),
        "int": torch.tensor([-1, 0, 5]),
        "uint16": torch.tensor([0, 5], dtype=torch.uint16),
        "complex": torch.tensor([complex(1, float("nan")), complex(float("inf"), 0), 2j]),
        "float8": torch.tensor([1.0, -1.0, float("nan")]).to(torch.float8_e4m3fn),
        "sparse": dense.to_sparse(),
        "csr": dense.to_sparse_csr(),
        "quantised": torch.quantize_per_tensor(torch.tensor([0.0, 1.0]), 0.1, 0, torch.quint8),
        "nested": torch.nested.nested_tensor([torch.ones(2), torch.zeros(1)]),
        "jagged": torch.nested.nested_tensor([torch.ones(2), torch.zeros(1)], layout=torch.jagged),
        "meta": torch.ones(3, device="meta"),
        "scalar": torch.tensor(-1.0),
    }
    found = {name: adapter().health(tensor).counts for name, tensor in counted.items()}
    assert found == {
        "bool": (0, 0, 1, 1, 0, 0),
        "int": (0, 1, 1, 1, 0, 0),
        "uint16": (0, 0, 1, 1, 0, 0),
        "complex": (0, 0, 1, 0, 1, 1),
        "float8": (0, 1, 0, 1, 0, 1),
        "sparse": (0, 0, 0, 1, 0, 1),
        "csr": (0, 0, 0, 1, 0, 1),
        "quantised": (0, 0, 1, 1, 0, 0),
        "nested": (0, 0, 1, 2, 0, 0),
        "jagged": (0, 0, 1, 2, 0, 0),
        "meta": (0, 0, 0, 0, 0, 0),
        "scalar": (0, 1, 0, 0, 0, 0),
    }


def test_first_elements_are_row_major() -> None:
    assert adapter().numbers(torch.arange(6.0).reshape(2, 3).t(), 3) == [0.0, 3.0, 1.0]
    assert adapter().numbers(torch.tensor([1 + 2j]), 3) == [1 + 2j]
    assert adapter().numbers(torch.tensor(7, dtype=torch.bfloat16), 3) == [7.0]


def test_tracers_and_fakes_have_no_numbers() -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    seen: list[bool] = []

    def function(x: Any) -> Any:
        seen.append(adapter().concrete(x))
        return x.sum()

    torch.func.grad(function)(torch.ones(3))
    torch.vmap(function)(torch.ones(3, 2))
    with FakeTensorMode():
        function(torch.ones(3))
    function(torch.ones(3, device="meta"))
    assert seen == [False, False, False, False]
    assert adapter().concrete(torch.ones(3))
    assert adapter().concrete(torch.nn.Parameter(torch.ones(3)))


# ── gradients of one op ─────────────────────────────────────────────────────────────────────────────────────────────


def heard(operands: dict[str, Any], result: Any) -> dict[str, Any]:
    """What arrives after a backward pass."""
    found: dict[str, Any] = {}
    adapter().on_gradient(operands, result, lambda name, gradient: found.__setitem__(name, gradient.tolist()))
    result.sum().backward()
    return found


def test_a_node_tells_what_one_op_sends_back() -> None:
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    y = x * 1
    root = torch.sqrt(y)
    total = root + y * 100  # another use of y, which is not the root's
    found: dict[str, Any] = {}
    adapter().on_gradient({"x": y}, root, lambda name, gradient: found.__setitem__(name, gradient.tolist()))
    total.sum().backward()
    assert found == {"result": [1.0, 1.0], "x": [float("inf"), 0.25]}


def test_a_leaf_is_an_operand_like_others() -> None:
    x = torch.tensor([4.0], requires_grad=True)
    y = torch.tensor([8.0], requires_grad=True)
    assert heard({"x": x, "y": y}, x / y) == {"result": [1.0], "x": [0.125], "y": [-0.0625]}


def test_hooks_on_leaves_of_composite_expressions_do_not_pile_up() -> None:
    x = torch.tensor([4.0], requires_grad=True)
    for _ in range(5):
        adapter().on_gradient({"x": x}, (x * 2).exp(), lambda name, gradient: None)
    assert len(x._backward_hooks) == 1
    assert heard({"x": x}, (x * 2).exp().log())["x"] == pytest.approx([2.0])
    assert not x._backward_hooks


def test_no_gradient_no_hook() -> None:
    with torch.no_grad():
        x = torch.tensor([4.0], requires_grad=True)
        adapter().on_gradient({"x": x}, x.sqrt(), lambda name, gradient: None)
    assert not x._backward_hooks


# ── births ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_forward_birth_has_op_line_and_counts(watching: Watching) -> None:
    with watching() as run:
        p = torch.tensor([0.0, 0.5, 1.0])
        torch.log(p)  # here
    (birth,) = run.births
    assert run.first() == ("log", "torch.log(p)  # here", False)
    assert birth.kinds == ("ninf",)
    assert [(one.name, one.health.counts, one.values) for one in birth.inputs] == [
        ("input", (0, 0, 1, 2, 0, 0), ("0.0", "0.5", "1.0"))
    ]
    assert birth.outputs[0].health.counts == (1, 1, 1, 0, 0, 0)


def test_a_backward_birth_has_the_line_of_its_forward_op(watching: Watching) -> None:
    with watching() as run:
        x = torch.zeros(3, requires_grad=True)
        y = x * 2
        root = torch.sqrt(y)  # here
        root.sum().backward()
    (birth,) = run.births
    assert run.first() == ("sqrt", "root = torch.sqrt(y)  # here", True)
    assert birth.frames[0].text == "root.sum().backward()"
    assert birth.kinds == ("pinf",)


def test_a_birth_knows_the_ops_before_it(watching: Watching) -> None:
    with watching() as run:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x.exp()  # first
        z = (y - y.detach()).reshape(2, 1)  # second
        z.log()
    (birth,) = run.births
    ops = {event.number: event for event in run.events if isinstance(event, Op)}
    (source,) = (ops[one.source] for one in birth.inputs if one.source is not None)
    assert source.op == "sub"
    (before,) = (ops[number] for number in source.inputs)
    assert (before.op, source.line - before.line) == ("exp", 1)


def test_infinity_and_the_nan_that_comes_of_it_are_two_births(watching: Watching) -> None:
    with watching() as run:
        x = torch.zeros(2, requires_grad=True)
        (torch.sqrt(x) * 0).sum().backward()
    assert [(birth.op, birth.kinds) for birth in run.births] == [("sqrt", ("nan",))]


def test_masks_are_silent_and_a_row_without_a_key_is_one_birth(watching: Watching) -> None:
    with watching() as run:
        mask = torch.zeros(4, 4)
        mask = mask.masked_fill(torch.triu(torch.ones(4, 4), 1).bool(), float("-inf"))
        scores = torch.ones(4, 4) + mask
        torch.softmax(scores, -1).sum()
        assert not run.births
        scores[2] = float("-inf")
        weights = torch.softmax(scores, -1)  # here
        (weights @ torch.ones(4, 4)).sum().log().exp()
    assert run.first() == ("softmax", "weights = torch.softmax(scores, -1)  # here", False)
    assert len(run.births) == 1


def test_a_sum_that_overflows_is_no_birth_of_its_summands(watching: Watching) -> None:
    with watching() as run:
        torch.full((4,), 3e38) * 1
        torch.full((4000,), 60000.0, dtype=torch.float16) * 1
    assert not run.births


def test_the_other_infinity_is_none_when_the_sign_turns(watching: Watching) -> None:
    with watching() as run:
        -torch.log(torch.zeros(2))
    assert [birth.op for birth in run.births] == ["log"]


@pytest.mark.parametrize("name", ["norm", "std", "sinc", "atan2", "cumprod"])
def test_a_formula_that_masks_what_it_divides_by_zero_is_silent(watching: Watching, name: str) -> None:
    functions = {
        "norm": lambda x: x.norm(),
        "std": lambda x: x.std(),
        "sinc": lambda x: torch.sinc(x).sum(),
        "atan2": lambda x: torch.atan2(x, x).sum(),
        "cumprod": lambda x: x.cumprod(0).sum(),
    }
    with watching() as run:
        x = torch.zeros(3, requires_grad=True)
        functions[name](x).backward()
    assert torch.isfinite(x.grad).all()
    assert not run.births


def test_a_cast_can_be_a_birth(watching: Watching) -> None:
    with watching() as run:
        torch.tensor([1e5]).half()  # here
        torch.tensor([float("inf")]).half()
        torch.zeros(1, dtype=torch.float16).copy_(torch.tensor([2e5]))
    assert [(b.op, b.frames[0].text[-6:]) for b in run.births] == [("cast", "# here"), ("cast", "[2e5]))"[-6:])]


def test_in_place_ops_are_watched_and_blamed_once(watching: Watching) -> None:
    with watching() as run:
        x = torch.zeros(2)
        x.log_()  # here
        x.add_(1)
        torch._foreach_add_([x], 1)
        y = [torch.zeros(1)]
        torch._foreach_log_(y)
    assert [birth.op for birth in run.births] == ["log", "foreach_log"]


def test_a_custom_function_is_blamed_in_its_own_backward(watching: Watching) -> None:
    class Root(torch.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x.sqrt()

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            (x,) = ctx.saved_tensors
            return gradient / (2 * x.sqrt())  # inside

    with watching() as run:
        x = torch.zeros(2, requires_grad=True)
        y = Root.apply(x)
        y.sum().backward()
    assert run.first() == ("Root", "return gradient / (2 * x.sqrt())  # inside", True)


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpointing_blames_the_line_in_the_function(watching: Watching, reentrant: bool) -> None:
    from torch.utils.checkpoint import checkpoint

    def block(x: Any) -> Any:
        y = x * 0
        return y.sqrt()  # here

    with watching() as run:
        x = torch.ones(2, requires_grad=True)
        checkpoint(block, x, use_reentrant=reentrant).sum().backward()
    assert run.first() == ("sqrt", "return y.sqrt()  # here", True)


def test_double_backward_blames_the_forward_line(watching: Watching) -> None:
    with watching() as run:
        x = torch.zeros(2, requires_grad=True)
        y = x**1.5  # here
        (gradient,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        gradient.sum().backward()
    assert run.first() == ("pow", "y = x**1.5  # here", True)


def test_per_sample_gradients_are_watched(watching: Watching) -> None:
    def loss(x: Any) -> Any:
        norm = (x * x).sum().sqrt()  # here
        return norm * 2

    with watching() as run:
        torch.vmap(torch.func.grad(loss))(torch.tensor([[1.0, 2.0], [0.0, 0.0]]))
    assert run.first() == ("sqrt", "norm = (x * x).sum().sqrt()  # here", True)


def test_autocast_is_watched(watching: Watching) -> None:
    with watching() as run, torch.autocast("cpu", dtype=torch.float16):
        x = torch.full((4, 4), 300.0)
        y = x @ x  # here
        y.sum()
    assert run.first()[:2] == ("mm", "y = x @ x  # here")


def test_threads_are_watched(watching: Watching) -> None:
    def work() -> None:
        x = torch.zeros(2, requires_grad=True)
        y = torch.sqrt(x)  # here
        y.sum().backward()

    with watching() as run:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert run.first() == ("sqrt", "y = torch.sqrt(x)  # here", True)


def test_threads_that_are_over_leave_nothing_behind(watching: Watching) -> None:
    with watching():
        gc.collect()
        alive = sum(isinstance(one, eager.BirthMode) for one in gc.get_objects())
        for _ in range(5):
            thread = threading.Thread(target=lambda: torch.ones(1).exp())
            thread.start()
            thread.join()
        # what PyTorch keeps for a thread goes when the system's thread ends, which may be just after it was joined
        for _ in range(100):
            gc.collect()
            left = sum(isinstance(one, eager.BirthMode) for one in gc.get_objects()) - alive
            if left == 0:
                break
            time.sleep(0.05)
        assert left == 0


def test_a_birth_can_stop_the_program(watching: Watching) -> None:
    with pytest.raises(NonFinite, match="sqrt"), watching(on_nan="stop"):
        torch.sqrt(torch.zeros(2, requires_grad=True)).sum().backward()


def test_tensors_of_every_kind_pass(watching: Watching) -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    with watching() as run:
        torch.ones(3, device="meta").log()
        with FakeTensorMode():
            torch.zeros(3).log()
        torch.zeros(0).mean()  # an empty mean is nan, and so a birth
        torch.eye(3).to_sparse() * 2
        torch.sparse.mm(torch.eye(3).to_sparse_csr(), torch.ones(3, 3))
        torch.quantize_per_tensor(torch.tensor([0.0, 1.0]), 0.1, 0, torch.quint8).dequantize()
        torch.nested.nested_tensor([torch.ones(2), torch.zeros(1)]) * 2
        torch.ones(2).to(torch.float8_e4m3fn).to(torch.float32)
        torch.fft.fft(torch.ones(4)).abs()
        torch.linalg.svd(torch.eye(3))
        torch.nn.functional.ctc_loss(torch.randn(5, 1, 3).log_softmax(-1), torch.tensor([[1, 2]]), [5], [2])
        torch.empty(1000).exponential_().log()
    assert [birth.op for birth in run.births] == ["mean"]
    assert not run.told


def test_nan_in_the_data_is_no_birth_but_is_told(watching: Watching) -> None:
    with watching() as run:
        table = torch.ones(4, 3)
        table[2, 1] = float("nan")
        table @ torch.ones(3, 2)
    (alert,) = run.told
    assert not run.births
    assert (alert.alert, alert.details) == ("nan-in-input", {"rows": [2], "columns": [1]})


def test_a_header_that_was_read_as_data(watching: Watching) -> None:
    table = torch.ones(4, 3)
    table[0] = float("nan")
    with watching() as run:
        table.mean()
    assert "header" in run.told[0].message


def test_a_hidden_nan_is_told(watching: Watching) -> None:
    with watching() as run:
        x = torch.zeros(3) / torch.zeros(3)
        torch.nan_to_num(x)  # here
    assert [(a.alert, a.frames[0].text) for a in run.told] == [("hidden-nan", "torch.nan_to_num(x)  # here")]


# ── steps ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def trained(optimizer: Any = None, steps: int = 3) -> list[Any]:
    """The parameters of a small network after a few steps."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(0.5), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    optimizer = (optimizer or torch.optim.AdamW)(model.parameters(), lr=0.01)
    for _ in range(steps):
        optimizer.zero_grad()
        model(torch.randn(16, 4)).square().mean().backward()
        optimizer.step()
    return [*model.parameters(), torch.rand(3)]


@pytest.mark.parametrize("mode", ["sites", "all", "sentinel"])
def test_results_and_random_numbers_are_the_same_bit_by_bit(watching: Watching, mode: str) -> None:
    expected = trained()
    with watching(mode) as run:
        found = trained()
    assert all(torch.equal(a, b) for a, b in zip(expected, found, strict=True))
    assert not run.births
    assert not run.told


def test_stopping_leaves_nothing_behind(watching: Watching) -> None:
    from torch.optim import SGD, Optimizer

    trained(SGD)
    before = SGD.step, Optimizer.profile_hook_step, torch.amp.GradScaler.step, vars(threading)["_profile_hook"]
    with watching():
        trained(SGD)
    after = SGD.step, Optimizer.profile_hook_step, torch.amp.GradScaler.step, vars(threading)["_profile_hook"]
    assert before == after
    assert torch._C._len_torch_dispatch_stack() == 0


def test_an_optimizer_of_a_class_first_used_under_the_watch_is_left_as_pytorch_has_it(watching: Watching) -> None:
    with watching():
        trained(torch.optim.NAdam)
    assert "nanlint" not in torch.optim.NAdam.step.__code__.co_filename
    weight = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.NAdam([weight])
    calls: list[Any] = []
    optimizer.register_step_post_hook(lambda *_: calls.append(1))
    optimizer.step()
    assert calls == [1]


def test_steps_are_counted_once_each(watching: Watching) -> None:
    with watching("sites") as run:
        trained(steps=4)
        trained(torch.optim.SGD, steps=2)
    assert [type(e).__name__ for e in run.events].count("Step") == 6


def test_a_parameter_that_nothing_trains_is_told(watching: Watching) -> None:
    with watching("sites") as run:
        model = torch.nn.ModuleDict({"used": torch.nn.Linear(2, 1), "unused": torch.nn.Linear(2, 1, bias=False)})
        gate = torch.nn.Parameter(torch.zeros(1))
        optimizer = torch.optim.SGD([*model.parameters(), gate], lr=0.1)
        for _ in range(3):
            (model["used"](torch.ones(1, 2)) + gate * 0).sum().backward()
            optimizer.step()
    told = sorted(alert.message for alert in run.told if alert.alert == "dead-gradient")
    assert told == [
        "gate got only zeros as its gradient in 3 steps: it is not trained",
        "model.unused.weight got no gradient in 3 steps: it is not trained",
    ]


def test_an_optimizer_that_breaks_a_parameter_is_blamed(watching: Watching) -> None:
    with watching() as run:
        weight = torch.nn.Parameter(torch.ones(2, dtype=torch.float16))
        optimizer = torch.optim.Adam([weight], eps=1e-8)
        (weight * torch.tensor([0.0, 1e-4], dtype=torch.float16)).sum().backward()
        optimizer.step()  # here
    assert run.first() == ("Adam.step", "optimizer.step()  # here", False)


def test_a_step_that_loss_scaling_skips_is_told(watching: Watching) -> None:
    with watching("sites") as run:
        weight = torch.nn.Parameter(torch.ones(2))
        optimizer = torch.optim.SGD([weight], lr=0.1)
        scaler = torch.amp.GradScaler("cpu")
        for factor in (1.0, float("inf")):
            optimizer.zero_grad()
            scaler.scale((weight * factor).sum()).backward()
            scaler.step(optimizer)
            scaler.update()
    assert [alert.alert for alert in run.told] == ["skipped-step"]
    assert [type(e).__name__ for e in run.events].count("Step") == 2


def test_an_optimizer_that_raises_leaves_the_watch_on(watching: Watching) -> None:
    with watching() as run:
        weight = torch.nn.Parameter(torch.ones(2))
        optimizer = torch.optim.SGD([weight], lr=0.1)
        weight.grad = torch.ones(2)
        optimizer.param_groups[0]["lr"] = "fast"
        with pytest.raises((TypeError, RuntimeError)):
            optimizer.step()
        torch.log(torch.zeros(1))
    assert run.first()[0] == "log"


def test_the_timeline_has_the_ops_of_some_steps(watching: Watching) -> None:
    with watching() as run:
        trained(steps=4)
    steps = [event for event in run.events if isinstance(event, Step)]
    ops = {event.number: event for event in run.events if isinstance(event, Op)}
    traces = {event.number: [ops[i] for i in event.ops] for event in run.events if isinstance(event, Trace)}
    assert [step.trace is None for step in steps] == [False, False, False, True]
    first = [(op.op, op.backward) for op in traces[steps[0].trace or 0]]
    assert first[0] == ("addmm", False)
    assert ("addmm", True) in first
    assert len({op.line for op in traces[steps[0].trace or 0]}) == 1


def test_a_clip_that_holds_every_element_is_told(watching: Watching) -> None:
    with watching() as run:
        x = torch.tensor([5.0, 7.0, -9.0], requires_grad=True)
        x.clamp(-10, 6)
        x.clamp(-1, 1).sum().backward()  # here
    (alert,) = run.told
    assert (alert.alert, alert.frames[0].text) == ("clip-holds-all", "x.clamp(-1, 1).sum().backward()  # here")
    assert x.grad.tolist() == [0, 0, 0]


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("mode", ["sites", "all"])
def test_nan_in_a_batch_is_told(watching: Watching, workers: int, mode: str) -> None:
    table = torch.arange(24.0).reshape(6, 4)
    table[4, 3] = float("nan")
    rows = torch.utils.data.TensorDataset(table, torch.arange(6))
    with watching(mode) as run:
        batches = list(torch.utils.data.DataLoader(rows, batch_size=3, num_workers=workers))
    assert len(batches) == 2
    (alert,) = run.told
    assert (
        alert.message == "batch[0] already had 1 nan in 12 elements, and no operation computed them: rows 1, columns 3"
    )


@pytest.mark.parametrize("start", ["fork"])
def test_workers_of_a_loader_are_watched(watching: Watching, start: str) -> None:
    class Scaled(torch.utils.data.Dataset):  # type: ignore[misc,name-defined]
        """Rows over their sum, of which one is 0: what a worker computes."""

        def __len__(self) -> int:
            return 3

        def __getitem__(self, i: int) -> Any:
            row = torch.full((2,), float(i))
            return row / row.sum()

    with watching() as run:
        loader = torch.utils.data.DataLoader(Scaled(), num_workers=1, multiprocessing_context=start)
        list(loader)
    assert run.first() == ("div", "return row / row.sum()", False)


# ── devices that are not waited for: the processor plays one ────────────────────────────────────────────────────────


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch) -> None:
    original = eager.Births.__init__

    def initialised(births: Any, watch: Any) -> None:
        original(births, watch)
        births.far = frozenset({"cpu"})

    monkeypatch.setattr(eager.Births, "__init__", initialised)


@pytest.mark.usefixtures("far")
def test_a_device_is_asked_once_a_step(watching: Watching, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def asking(name: str) -> Callable[[Any], Any]:
        original = getattr(torch.Tensor, name)

        def ask(tensor: Any) -> Any:
            asked.append(name)
            return original(tensor)

        return ask

    for name in ("item", "tolist"):
        monkeypatch.setattr(torch.Tensor, name, asking(name))
    with watching() as run:
        weight = torch.nn.Parameter(torch.ones(2))
        optimizer = torch.optim.SGD([weight], lr=0.1)
        loss = (weight.exp() * 2).log().sum()
        loss.backward()
        assert not asked
        optimizer.step()
    assert asked.count("tolist") == 3  # the ops of the step, then its parameters; at the end what came back
    assert not run.births


@pytest.mark.usefixtures("far")
def test_what_comes_back_on_a_device_is_read_at_the_next_pass_or_at_the_end(
    watching: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[int] = []
    numbers = deferred.Left.numbers

    def read(left: Any) -> list[float]:
        waited.append(1)
        return numbers(left)

    monkeypatch.setattr(deferred.Left, "numbers", read)
    with watching("sites") as run:
        weight = torch.nn.Parameter(torch.zeros(2))
        torch.sqrt(weight).sum().backward()  # a gradient of inf
        assert not waited
        torch.log(weight).sum().backward()  # a loss of -inf, gradients of inf
        assert len(waited) == 1
        torch.autograd.grad((weight * 2).sum(), weight)
    assert [one.message for one in run.alerts("non-finite")] == [
        "the gradient of weight is not finite, seen at backward()",
        "the loss is -inf, seen at backward()",
    ]


@pytest.mark.usefixtures("far")
def test_a_step_on_a_device_that_a_scaler_skips_is_none_of_the_programs(watching: Watching) -> None:
    with watching("sites") as run:
        weight = torch.nn.Parameter(torch.ones(2))
        optimizer = torch.optim.SGD([weight], lr=0.1)
        scaler = torch.amp.GradScaler("cpu", init_scale=2.0**127)
        for factor in (2.0, 1e-30):
            optimizer.zero_grad()
            scaler.scale((weight * factor).sum()).backward()
            scaler.step(optimizer)
            scaler.update()
    assert [one.alert for one in run.told] == ["skipped-step"]


@pytest.mark.usefixtures("far")
def test_a_birth_on_a_device_has_its_line(watching: Watching) -> None:
    with watching() as run:
        weight = torch.nn.Parameter(torch.zeros(2))
        optimizer = torch.optim.SGD([weight], lr=0.1)
        root = torch.sqrt(weight)  # here
        (root * 2).sum().backward()
        assert not run.births
        optimizer.step()
    assert run.first() == ("sqrt", "root = torch.sqrt(weight)  # here", True)
    assert run.births[0].kinds == ("pinf",)


@pytest.mark.usefixtures("far")
def test_bad_data_on_a_device_is_no_birth(watching: Watching) -> None:
    with watching() as run:
        data = torch.full((3,), float("nan"))
        (data * 2).exp()
    assert not run.births


@pytest.mark.usefixtures("far")
def test_flagged_expressions_on_a_device_are_read_once_a_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "import torch\n\ndef entropy(p):\n    return -(p * torch.log(p)).sum()\n"
    (tmp_path / "flagged_on_a_device.py").write_text(source, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with nanlint.verify(watch="sites", run_directory=str(tmp_path / "run")) as run:
        from flagged_on_a_device import entropy  # type: ignore[import-not-found]

        def step(p: Any) -> None:
            entropy(p).backward()

        for _ in range(probing.WHOLE):
            step(torch.full((2,), 0.5, requires_grad=True))
        asked: list[str] = []
        for name in ("item", "tolist"):
            original = getattr(torch.Tensor, name)
            monkeypatch.setattr(
                torch.Tensor, name, lambda x, of=name, original=original: (asked.append(of), original(x))[1]
            )
        for _ in range(3):
            step(torch.full((2,), 0.25, requires_grad=True))
        assert asked == ["tolist"] * 3  # of what the passes before have left, which is there by then
        run.step()
        assert asked == ["tolist"] * 4
        assert run.findings[0].state is State.CLEAN
        step(torch.tensor([0.0, 1.0], requires_grad=True))
    (finding,) = run.findings
    assert (finding.state, finding.executions, finding.step) == (State.CONFIRMED, probing.WHOLE + 4, 1)
    assert finding.roles["result"].bad
    assert [one.alert for one in run.alerts] == ["non-finite"]


@pytest.fixture
def mesh() -> Iterator[Any]:
    """A mesh of this process alone."""
    distributed = torch.distributed
    distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    yield distributed.init_device_mesh("cpu", (1,))
    distributed.destroy_process_group()


@pytest.mark.parametrize("mode", ["sites", "all", "sentinel"])
def test_sharded_parameters_are_looked_at_where_they_are(watching: Watching, mesh: Any, mode: str) -> None:
    from torch.distributed.fsdp import fully_shard

    with watching(mode) as run:
        model = torch.nn.Linear(2, 1, bias=False)
        fully_shard(model, mesh=mesh)
        optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
        model(torch.full((1, 2), 2.0)).sum().backward()
        optimizer.step()
        other = torch.distributed.tensor.distribute_tensor(torch.zeros(2), mesh)
        (other / other).sum()  # here
    assert not run.told
    if mode == "all":
        assert run.first() == ("div", "(other / other).sum()  # here", False)
    if mode == "sentinel":
        (step,) = (event for event in run.events if isinstance(event, Step))
        assert float(step.numbers["gradient_norm"]) == pytest.approx(8**0.5)


def test_the_gradient_of_a_product_is_that_of_a_run_without_a_watch(watching: Watching) -> None:
    draw = torch.Generator().manual_seed(0)
    inputs = [torch.randn(33, generator=draw) for _ in range(20)]

    def gradients() -> list[torch.Tensor]:
        leaves = [one.clone().requires_grad_() for one in inputs]
        for one in leaves:
            one.prod().backward()
        return [one.grad for one in leaves if one.grad is not None]

    plain = gradients()
    with watching("all"):
        seen = gradients()
    assert len(seen) == len(inputs)
    assert all(map(torch.equal, seen, plain))


def test_what_is_born_in_the_gradient_of_a_product_is_seen(watching: Watching) -> None:
    with watching("all") as run:
        x = torch.tensor([1e-30, 1e30, 1e30], requires_grad=True)
        x.prod().backward()
    (birth,) = run.births
    assert (birth.op, birth.kinds, birth.backward) == ("prod", ("pinf",), True)
    assert birth.forward[0].text == "x.prod().backward()"
