"""Every spelling names something that exists, with the argument names it really has; and the language of the tables."""

from __future__ import annotations

import importlib
import inspect
import re
from dataclasses import dataclass
from typing import Any

import pytest

from nanlint.frontend import control
from nanlint.frontend.operations import HANDS_ON
from nanlint.frontend.roles import ROLES
from nanlint.ops.control import CONTROL
from nanlint.ops.frameworks import TABLES, canonical, load
from nanlint.ops.op import OPS
from nanlint.ops.spelling import Spelling, SpellingError, Spellings, parse
from nanlint.proof.calls import resolve

#: names that the frameworks once had, under the last version that has them
HISTORIC = {
    "TensorFlow 0.12": ["sub", "mul", "neg", "batch_matmul", "select", "pack"],
    "TensorFlow 2.15": [
        f"layers.{layer}"
        for layer in (
            "dense",
            "conv1d",
            "conv2d",
            "conv2d_transpose",
            "conv3d",
            "batch_normalization",
            "dropout",
            "flatten",
            "max_pooling2d",
            "average_pooling2d",
        )
    ],
    "Keras 2.3": ["backend.logsumexp", "backend.identity"],
    "Keras 2.15": [
        "backend.in_train_phase",
        "backend.placeholder",
        "backend.random_binomial",
        "layers.ThresholdedReLU",
        "mixed_precision.experimental.set_policy",
    ],
    "JAX 0.4": ["tree_map"],
    "NumPy 1.26": ["ndarray.ptp", "product", "cumproduct", "alltrue", "sometrue", "round_", "float_", "asfarray"],
    "NumPy 2.3": ["trapz"],
}
HISTORIC_NAMES = {f"{version.split()[0].lower()}.{name}" for version, names in HISTORIC.items() for name in names}

SPELLINGS = load()
CONTROLLED = {spelling.name: spelling for spelling in SPELLINGS.controls()}
ROOTS = sorted({name.partition(".")[0] for name in (*SPELLINGS.names(), *CONTROLLED)})

#: what a spelling may bind beside operands: read by the lowering
ATTRIBUTES = {"requires_grad", "dtype", "activation", "nonzero", "weights", *HANDS_ON}


@dataclass(frozen=True)
class Arguments:
    """Names of the arguments of a function; how many of the first have no public name; whether others may follow."""

    names: tuple[str, ...]
    nameless: int = 0
    open: bool = False
    open_names: bool = False

    def agree(self, spelling: Spelling) -> bool:
        """Whether the spelling names the first arguments rightly and in order."""
        other = dict(spelling.aliases)
        for position, param in enumerate(spelling.params):
            if param.startswith("*"):
                return True
            if position >= len(self.names):
                return self.open
            name = self.names[position]
            if position >= self.nameless and param != other.get(name, name):
                return False
        return self.open_names or all(n in self.names for n in spelling.named)


def arguments(name: str, found: Any) -> list[Arguments]:
    """What Python can tell of the arguments of a function, layer or method: one entry for each overload."""
    lists = [*signatures(found), *schemas(name), *documented(name, found), *distributions(name)]
    if name.rpartition(".")[0].endswith((".Tensor", ".ndarray", ".Array", ".Generator", ".RandomState")):
        return [with_receiver(a) for a in lists]
    return lists


def with_receiver(a: Arguments) -> Arguments:
    """Arguments of a method, the receiver first."""
    names = ("self", *(n for n in a.names if n != "self"))
    return Arguments(names, max(a.nameless, 1) if "self" in a.names else a.nameless + 1, a.open, a.open_names)


def signatures(found: Any) -> list[Arguments]:
    """Python's own answer."""
    try:
        parameters = inspect.signature(found).parameters.values()
    except (ValueError, TypeError):
        return []
    names = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    nameless = sum(p.kind is p.POSITIONAL_ONLY for p in parameters)
    rest = next((i for i, p in enumerate(parameters) if p.kind is p.VAR_POSITIONAL), None)
    if rest is not None:
        return [Arguments(tuple(names[:rest]), nameless, open=True, open_names=True)]
    open_names = any(p.kind is p.VAR_KEYWORD for p in parameters)
    if not names and open_names:
        return []
    return [Arguments(tuple(names), nameless, open_names=open_names)]


def schemas(name: str) -> list[Arguments]:
    """Arguments of a function or method of torch that is written in C++."""
    if not name.startswith("torch."):
        return []
    import torch

    owner, _, last = name.rpartition(".")
    prefix = {"torch.special": "special_", "torch.linalg": "linalg_"}.get(owner, "")
    found = torch._C._jit_get_schemas_for_operator(f"aten::{prefix}{last}")
    receiver = "self" if owner == "torch.Tensor" else "input"
    return [Arguments(tuple(receiver if a.name == "self" else a.name for a in s.arguments)) for s in found]


def documented(name: str, found: Any) -> list[Arguments]:
    """Arguments named in the first lines of a docstring: where C functions have their signature."""
    last = name.rpartition(".")[2]
    lists = []
    for line in (inspect.getdoc(found) or "").splitlines()[:12]:
        match = re.match(rf"(?:\w+\.)*{re.escape(last)}\((.*?)\)(?:\s*->.*)?$", line.strip())
        if match:
            inside = re.sub(r"\[|\]|\(.*?\)", "", match.group(1))
            names = [a.partition("=")[0].partition(":")[0].strip() for a in inside.split(",")]
            nameless = names.index("/") if "/" in names else 0
            lists.append(
                Arguments(
                    tuple(n for n in names if n not in ("", "/") and not n.startswith("*")),
                    nameless,
                    open=any(len(n) > 1 and n.startswith("*") for n in names),
                )
            )
    return lists


def distributions(name: str) -> list[Arguments]:
    """Arguments of the methods of SciPy's distributions, which hide their shape parameters behind ``*args``."""
    if not name.startswith("scipy.stats.") or name.count(".") < 3:
        return []
    owner, _, last = name.rpartition(".")
    distribution = resolve(owner)
    shapes = [s.strip() for s in (distribution.shapes or "").split(",") if s.strip()]
    first = "q" if last in ("ppf", "isf") else "x" if hasattr(distribution, "pdf") else "k"
    scale = ["scale"] if hasattr(distribution, "pdf") else []
    return [Arguments((first, *shapes, "loc", *scale))]


@pytest.fixture(params=ROOTS)
def root(request: pytest.FixtureRequest) -> str:
    """A package that the tables name, where it is installed."""
    name: str = request.param
    if not installed(name):
        pytest.skip(f"{name} is not installed, or lacks what it imports")
    return name


def installed(name: str) -> bool:
    """Whether a package can be imported: it is there, and so are others that it needs (Keras needs a backend)."""
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        return False
    return True


def names_of(root: str) -> list[str]:
    return [name for name in (*SPELLINGS.names(), *CONTROLLED) if name.partition(".")[0] == root]


def test_every_name_is_one_of_the_framework(root: str) -> None:
    def exists(name: str) -> bool:
        try:
            resolve(name)
        except AttributeError:
            return False
        return True

    assert [name for name in names_of(root) if not exists(name) and name not in HISTORIC_NAMES] == []


def test_historic_names_are_spelled() -> None:
    assert {*SPELLINGS.names(), *CONTROLLED} >= HISTORIC_NAMES


def test_argument_names_are_those_of_the_framework_in_its_order(root: str) -> None:
    wrong, told = [], 0
    for name in set(names_of(root)) - HISTORIC_NAMES:
        lists = arguments(name, resolve(name))
        told += bool(lists)
        wrong += [
            f"{name}{spelling.params}: {', '.join(str(a.names) for a in lists)}"
            for spelling in (SPELLINGS.overloads(name) or [CONTROLLED[name]])
            if lists and not any(a.agree(spelling) for a in lists)
        ]
    assert wrong == []
    assert told >= 0.9 * len(names_of(root)) - len(HISTORIC_NAMES)


def test_every_spelling_binds_operands_of_its_op() -> None:
    wrong = [
        f"{part.name}: {part.op} has no operand {operand!r}"
        for spelling in SPELLINGS
        for part in (spelling, *spelling.rest)
        for operand in (*part.operands, *part.literals)
        if operand not in OPS[part.op].operands and operand not in ATTRIBUTES and OPS[part.op].operands
    ]
    assert wrong == []


def test_every_control_role_binds_its_operands_and_is_lowered() -> None:
    assert CONTROL.keys() == ROLES.keys() == {name for name in ROLES if ROLES[name].__module__ == control.__name__}
    assert {s.op for s in CONTROLLED.values()} == CONTROL.keys()
    assert CONTROL.keys() & OPS.keys() == set()
    assert set(CONTROLLED) & set(SPELLINGS.names()) == set()
    wrong = [
        f"{s.name}: {s.op} has no operand {operand!r}"
        for s in CONTROLLED.values()
        for operand in (*s.operands, *s.literals)
        if operand not in CONTROL[s.op]
    ]
    assert wrong == []


def test_every_spelling_gives_its_op_what_it_computes_from() -> None:
    """The first operand is there in all but the ops whose result does not depend on it."""
    wrong = [
        f"{part.name}: {part.op} needs {OPS[part.op].operands[0]!r}"
        for spelling in SPELLINGS
        for part in (spelling, *spelling.rest)
        if OPS[part.op].operands[:1] not in ((), ("low",), ("high",), ("x",))
        and OPS[part.op].operands[0] not in {**part.operands, **part.literals}
    ]
    assert wrong == []


def test_layers_apply_to_their_input() -> None:
    layers = [
        spelling for spelling in SPELLINGS if spelling.layer and OPS[spelling.op].operands[:1] in (("x",), ("a",))
    ]
    assert len(layers) > 150
    assert [s.name for s in layers if not any(o.startswith("$") for o in s.operands.values())] == []


def test_keys_are_canonical() -> None:
    assert [name for name in (*SPELLINGS.names(), *CONTROLLED) if canonical(name) != name] == []


def test_no_line_is_written_twice() -> None:
    signatures = [signature for table in TABLES for signature in table]
    assert len(signatures) == len(set(signatures))


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("tensorflow.compat.v1.math.log", "tensorflow.log"),
        ("tensorflow.compat.v1.log", "tensorflow.log"),
        ("tensorflow.math.log", "tensorflow.log"),
        ("tensorflow.keras.backend.log", "keras.backend.log"),
        ("tensorflow.python.keras.layers.Dense", "keras.layers.Dense"),
        ("keras.src.ops.numpy.log", "keras.ops.log"),
        ("autograd.numpy.log", "jax.numpy.log"),
        ("jax._src.numpy.ufuncs.log", "jax.numpy.log"),
        ("torch._C._nn.softplus", "torch.nn.functional.softplus"),
        ("cupy.log", "numpy.log"),
        ("tensorflow.mathematics", "tensorflow.mathematics"),
        ("logging.log", "logging.log"),
    ],
)
def test_canonical_form_leaves_out_what_only_groups(name: str, known: str) -> None:
    assert canonical(name) == known


@pytest.mark.parametrize(
    "activation", ["relu", "softmax", "sigmoid", "tanh", "linear", "exponential", "softplus", "elu", "swish"]
)
def test_activations_that_keras_knows_by_name_are_spelled(activation: str) -> None:
    assert SPELLINGS.get(f"keras.activations.{activation}") is not None


# ── the language ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_spelling_binds_arguments_literals_and_defaults() -> None:
    spelling = parse("lib.hold(t, low, high|top)", "clamp(x=t, min=low|-1, max=high)")
    assert spelling.params == ("t", "low", "high")
    assert spelling.operands == {"x": "t", "min": "low", "max": "high"}
    assert spelling.defaults == {"min": -1}
    assert spelling.aliases == {"top": "high"}
    assert parse("lib.relu6(t)", "clamp(x=t, min=0, max=6)").literals == {"min": 0, "max": 6}


def test_one_line_spells_a_function_and_its_forms() -> None:
    table = Spellings([{"lib.{,Array.}{log,ln}{,_!} lib.special.log(x, out)": "log(x=x)"}])
    functions = {f"lib.{owner}{name}{end}" for owner in ("", "Array.") for name in ("log", "ln") for end in ("", "_")}
    assert set(table.names()) == {*functions, "lib.special.log"}
    assert {s.name for s in table if s.in_place} == {name for name in functions if name.endswith("_")}
    assert {s.params[0] for s in table if s.is_method} == {s.operands["x"] for s in table if s.is_method} == {"self"}
    assert {s.params[0] for s in table if not s.is_method} == {"x"}


def test_operands_without_a_name_are_bound_in_order() -> None:
    assert parse("lib.over(top, bottom)", "div(top, bottom)").operands == {"a": "top", "b": "bottom"}


def test_layers_in_place_ops_and_tuples_are_marked() -> None:
    assert parse("lib.Gate(width)", "layer sigmoid(x=$)").layer
    assert parse("lib.Tensor.log_!(self)", "log(x=self)").in_place
    both = parse("lib.moments(x, axes)", "mean(x=x, axis=axes); var(x=x, axis=axes)")
    assert (both.op, [part.op for part in both.rest]) == ("mean", ["var"])


@pytest.mark.parametrize(
    ("signature", "meaning", "message"),
    [
        ("lib.f(x)", "no_such_op(x=x)", "no op named 'no_such_op'"),
        ("lib.f(x)", "log(x=y)", "'y' is neither an argument nor a literal"),
        ("lib.f(x", "log(x=x)", "expected a dotted name and its arguments"),
        ("lib f(x)", "log(x=x)", "expected a dotted name and its arguments"),
        ("lib.f(x y)", "log(x=x)", "'x y' is not an argument name"),
        ("lib.f(x:float)", "log(x=x)", "'float' is not one of dtype, int"),
        ("lib.f(x)", "log(x=x", "no closing parenthesis"),
        ("lib.f(x, y)", "log(x, y)", "log has no operand number 2"),
    ],
)
def test_a_line_that_cannot_be_read_says_why(signature: str, meaning: str, message: str) -> None:
    with pytest.raises(SpellingError, match=re.escape(message)) as error:
        parse(signature, meaning)
    assert repr(signature) in str(error.value)


OVERLOADED = Spellings(
    [
        {
            "lib.max(x, dim:int)": "max(x=x, axis=dim)",
            "lib.max(x)": "max(x=x)",
            "lib.max(x, other)": "maximum(a=x, b=other)",
        }
    ]
)


@pytest.mark.parametrize(
    ("positional", "keywords", "op"),
    [
        ([""], {}, "max"),
        (["", "int"], {}, "max"),
        ([""], {"dim": "int"}, "max"),
        (["", ""], {}, "maximum"),
        ([""], {"other": ""}, "maximum"),
        (["", ""], {"out": ""}, "maximum"),
    ],
)
def test_an_overload_is_chosen_by_number_name_and_sort(
    positional: list[str], keywords: dict[str, str], op: str
) -> None:
    chosen = OVERLOADED.choose("lib.max", positional, keywords)
    assert chosen is not None
    assert chosen.op == op


def test_methods_are_found_in_the_first_framework_that_has_them() -> None:
    in_jax = SPELLINGS.method("clip", ["jax", "torch"])
    in_torch = SPELLINGS.method("clip", ["torch", "jax"])
    assert in_jax is not None
    assert in_torch is not None
    assert (in_jax.name, in_torch.name) == ("jax.Array.clip", "torch.Tensor.clip")
    assert SPELLINGS.method("clip", ["tensorflow"]) is None


def test_users_spell_their_own_functions_in_the_same_language() -> None:
    own = Spellings([*TABLES, {"mylib.log_probs(x, dim)": "log_softmax(x=x, axis=dim)"}])
    found = own.get("mylib.log_probs")
    assert found is not None
    assert (found.op, found.framework) == ("log_softmax", "mylib")


@pytest.mark.parametrize(
    ("name", "framework"), [("optax.l2_loss", "jax"), ("torch.log", "torch"), ("keras.ops.log", "keras")]
)
def test_a_package_works_on_the_arrays_of_its_framework(name: str, framework: str) -> None:
    spelling = SPELLINGS.get(name)
    assert spelling is not None
    assert spelling.framework == framework
