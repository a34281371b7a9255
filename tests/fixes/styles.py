"""The styles in which one and the same computation is spelled: what a proof of a fix goes through.

Each style takes the statements of a proof, ``return torch.log(F.softmax(x, dim=-1))``, to a whole program that defines
``f(x, y)``. A style that changes nothing (TensorFlow has no methods) gives None.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from typing import Any

from nanlint.ops.frameworks import canonical, load
from nanlint.ops.spelling import Spelling
from tests.fixes.executing import takes_keywords

Body = list[ast.stmt]
Style = Callable[["Writing"], "str | None"]

STYLES: dict[str, Style] = {}

#: how each framework's programs begin, and the same under other names
IMPORTS = {
    "torch": {"torch": "import torch", "F": "import torch.nn.functional as F"},
    "tensorflow": {"tf": "import tensorflow as tf"},
    "keras": {"keras": "import keras", "ops": "from keras import ops"},
    "jax": {"jax": "import jax", "jnp": "import jax.numpy as jnp"},
    "numpy": {"np": "import numpy as np"},
    "scipy": {"np": "import numpy as np", "special": "from scipy import special"},
}
ALIASED = {
    "torch": {"torch": "import torch as th", "F": "from torch.nn import functional as fn"},
    "tensorflow": {"tf": "import tensorflow"},
    "keras": {"keras": "import keras as k", "ops": "import keras.ops as ko"},
    "jax": {"jax": "import jax as j", "jnp": "from jax import numpy as numpy"},
    "numpy": {"np": "import numpy"},
    "scipy": {"np": "import numpy", "special": "import scipy.special as sp"},
}
#: what the names stand for
MODULES = {
    "torch": "torch",
    "F": "torch.nn.functional",
    "tf": "tensorflow",
    "keras": "keras",
    "ops": "keras.ops",
    "jax": "jax",
    "jnp": "jax.numpy",
    "np": "numpy",
    "special": "scipy.special",
}
ARRAYS = {"torch": "torch.Tensor", "jax": "jax.Array", "numpy": "numpy.ndarray", "scipy": "numpy.ndarray"}
OPERATORS = {
    "torch": {ast.Add: "torch.add", ast.Sub: "torch.sub", ast.Mult: "torch.mul", ast.Div: "torch.div"},
    "tensorflow": {ast.Add: "tf.add", ast.Sub: "tf.subtract", ast.Mult: "tf.multiply", ast.Div: "tf.divide"},
    "keras": {ast.Add: "ops.add", ast.Sub: "ops.subtract", ast.Mult: "ops.multiply", ast.Div: "ops.divide"},
    "jax": {ast.Add: "jnp.add", ast.Sub: "jnp.subtract", ast.Mult: "jnp.multiply", ast.Div: "jnp.divide"},
    "numpy": {ast.Add: "np.add", ast.Sub: "np.subtract", ast.Mult: "np.multiply", ast.Div: "np.divide"},
}
OPERATORS["scipy"] = OPERATORS["numpy"]
MODULE_CLASSES = {"torch": "torch.nn.Module", "keras": "keras.layers.Layer", "tensorflow": "tf.Module"}


class Writing:
    """The statements of a proof, and the means to write them as a program."""

    def __init__(self, framework: str, body: str) -> None:
        self.framework = framework
        self.imports = "\n".join(IMPORTS[framework].values())
        self.text = body

    @property
    def body(self) -> Body:
        """The statements, to be changed at will."""
        return ast.parse(f"def f(x, y):\n{indented(self.text)}").body[0].body  # type: ignore[attr-defined, no-any-return]

    def program(self, body: Body | str, imports: str | None = None) -> str:
        """A program that defines f with these statements."""
        return (
            f"{imports or self.imports}\n\n\ndef f(x, y):\n{indented(body if isinstance(body, str) else text(body))}\n"
        )


def indented(statements: str, by: int = 4) -> str:
    return "\n".join(" " * by + line if line else line for line in statements.split("\n"))


def text(body: Body) -> str:
    return "\n".join(ast.unparse(ast.fix_missing_locations(statement)) for statement in body)


def style(name: str) -> Callable[[Style], Style]:
    """Enter a style."""

    def enter(write: Style) -> Style:
        STYLES[name] = write
        return write

    return enter


def styled(framework: str, body: str) -> Iterator[tuple[str, str]]:
    """Each style that applies, with its program; no program twice."""
    seen: set[str] = set()
    for name, write in STYLES.items():
        program = write(Writing(framework, body))
        if program is not None and program not in seen:
            seen.add(program)
            yield name, program


def rewritten(body: Body, expression: Callable[[ast.expr], ast.expr | None]) -> Body:
    """The statements with each expression, innermost first, replaced by what ``expression`` makes of it."""

    class Rewrite(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> Any:
            node = super().generic_visit(node)
            if isinstance(node, ast.expr):
                return expression(node) or node
            return node

    return [Rewrite().visit(statement) for statement in body]


def dotted(node: ast.expr) -> str | None:
    """``torch.log`` of a chain of attributes on one of the imported names, with the module in full."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    if isinstance(node, ast.Name) and node.id in MODULES and parts:
        return ".".join([MODULES[node.id], *parts])
    return None


def spelling(call: ast.Call) -> Spelling | None:
    """The catalogue's spelling of a call of an imported function, by the number of its arguments."""
    name = dotted(call.func)
    if name is None or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    sorts = ["int" if isinstance(a, ast.Constant) and isinstance(a.value, int) else "" for a in call.args]
    return load().choose(canonical(name), sorts, {k.arg: "" for k in call.keywords if k.arg})


@style("function")
def _function(writing: Writing) -> str:
    return writing.program(writing.text)


@style("method")
def _method(writing: Writing) -> str | None:
    owner = ARRAYS.get(writing.framework)

    def as_method(node: ast.expr) -> ast.expr | None:
        if not isinstance(node, ast.Call) or not node.args or isinstance(node.args[0], ast.Constant):
            return None
        function = spelling(node)
        method = load().get(f"{owner}.{function.name.rpartition('.')[2]}") if function is not None else None
        if function is None or method is None or method.op != function.op or method.params[:1] != ("self",):
            return None
        if [o for o, p in function.operands.items() if p == function.params[0]] != [
            o for o, p in method.operands.items() if p == "self"
        ]:
            return None
        named = [ast.keyword(p, a) for p, a in zip(function.params[1:], node.args[1:], strict=False)]
        if not all(k.arg in (*method.params, *method.aliases) for k in named):
            return None
        arguments, keywords = node.args[1:], node.keywords
        if method.params[1 : len(node.args)] != function.params[1 : len(node.args)]:
            arguments, keywords = [], [*named, *node.keywords]
        return ast.Call(ast.Attribute(node.args[0], method.name.rpartition(".")[2], ast.Load()), arguments, keywords)

    return writing.program(rewritten(writing.body, as_method)) if owner else None


@style("keyword arguments")
def _keywords(writing: Writing) -> str:
    def with_keywords(node: ast.expr) -> ast.expr | None:
        if not isinstance(node, ast.Call):
            return None
        function, name = spelling(node), dotted(node.func)
        if function is None or name is None or any(p.startswith("*") for p in function.params):
            return None
        if not takes_keywords(name, function.params[: len(node.args)]):
            return None
        named = [ast.keyword(p, a) for p, a in zip(function.params, node.args, strict=False)]
        return ast.Call(node.func, node.args[len(named) :], [*named, *node.keywords])

    return writing.program(rewritten(writing.body, with_keywords))


@style("functions for operators")
def _operators(writing: Writing) -> str:
    functions = OPERATORS[writing.framework]

    def as_function(node: ast.expr) -> ast.expr | None:
        if not isinstance(node, ast.BinOp) or type(node.op) not in functions:
            return None
        if isinstance(node.left, ast.Constant) or isinstance(node.right, ast.Constant):
            return None
        function = ast.parse(functions[type(node.op)], mode="eval").body
        return ast.Call(function, [node.left, node.right], [])

    return writing.program(rewritten(writing.body, as_function))


@style("aliased imports")
def _aliased(writing: Writing) -> str:
    lines = ALIASED[writing.framework]
    names = {name: ast.parse(line).body[0] for name, line in lines.items()}

    def renamed(node: ast.expr) -> ast.expr | None:
        statement = names.get(node.id) if isinstance(node, ast.Name) else None
        if not isinstance(statement, ast.Import | ast.ImportFrom):
            return None
        (alias,) = statement.names
        return ast.Name(alias.asname or alias.name, ast.Load())

    return writing.program(rewritten(writing.body, renamed), "\n".join(lines.values()))


@style("imported functions")
def _from_imports(writing: Writing) -> str:
    taken: dict[str, str] = {}

    def bare(node: ast.expr) -> ast.expr | None:
        name = dotted(node) if isinstance(node, ast.Attribute) else None
        if name is None or node.attr in ("x", "y", "max", "min", "sum", "abs", "all", "any"):  # type: ignore[attr-defined]
            return None
        module, _, last = name.rpartition(".")
        if module not in MODULES.values() and module not in ("tensorflow.math", "tensorflow.nn", "jax.nn"):
            return None
        if taken.setdefault(last, module) != module:
            return None
        return ast.Name(last, ast.Load())

    body = rewritten(writing.body, bare)
    imports = "\n".join(f"from {module} import {name}" for name, module in taken.items())
    return writing.program(body, f"{writing.imports}\n{imports}")


def inlined(body: Body) -> ast.expr | None:
    """The one expression that is returned, with plain assignments put in; None where there is more than these."""
    known: dict[str, ast.expr] = {}

    def put_in(node: ast.expr) -> ast.expr | None:
        return copy.deepcopy(known[node.id]) if isinstance(node, ast.Name) and node.id in known else None

    for statement in body:
        if isinstance(statement, ast.Return):
            (returned,) = rewritten([statement], put_in)
            return returned.value if isinstance(returned, ast.Return) else None
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return None
        (target,) = statement.targets
        if not isinstance(target, ast.Name):
            return None
        value = ast.Expression(statement.value)
        (assigned,) = rewritten([ast.Expr(value.body)], put_in)
        assert isinstance(assigned, ast.Expr)
        known[target.id] = assigned.value
    return None


@style("nested")
def _nested(writing: Writing) -> str | None:
    expression = inlined(writing.body)
    return writing.program([ast.Return(expression)]) if expression is not None else None


@style("lambda")
def _lambda(writing: Writing) -> str | None:
    expression = inlined(writing.body)
    if expression is None:
        return None
    return f"{writing.imports}\n\nf = lambda x, y: {ast.unparse(ast.fix_missing_locations(expression))}\n"


@style("assigned")
def _assigned(writing: Writing) -> str | None:
    """Each operation on a line of its own."""
    lines: Body = []
    for statement in writing.body:
        if not isinstance(statement, ast.Return | ast.Assign) or statement.value is None:
            return None
        names = iter(f"step_{len(lines)}_{i}" for i in range(100))

        def named(node: ast.expr, names: Iterator[str] = names) -> ast.expr | None:
            if not isinstance(node, ast.Call | ast.BinOp | ast.UnaryOp) or _is_number(node):
                return None
            name = next(names)
            lines.append(ast.Assign([ast.Name(name, ast.Store())], node))
            return ast.Name(name, ast.Load())

        lines.extend(rewritten([statement], named))
    return writing.program(lines)


def _is_number(node: ast.expr) -> bool:
    return all(isinstance(part, ast.UnaryOp | ast.Constant | ast.unaryop) for part in ast.walk(node))


@style("augmented")
def _augmented(writing: Writing) -> str | None:
    """The last operation as an augmented assignment."""
    *above, last = writing.body
    if not isinstance(last, ast.Return) or not isinstance(last.value, ast.BinOp):
        return None
    quotient = last.value
    if isinstance(quotient.left, ast.Constant):
        return None
    start = ast.Assign([ast.Name("result", ast.Store())], quotient.left)
    step = ast.AugAssign(ast.Name("result", ast.Store()), quotient.op, quotient.right)
    return writing.program([*above, start, step, ast.Return(ast.Name("result", ast.Load()))])


@style("several lines")
def _several_lines(writing: Writing) -> str | None:
    """Calls broken after each parenthesis and comma, with comments between."""
    *above, last = writing.body
    if not isinstance(last, ast.Return) or last.value is None:
        return None

    def broken(node: ast.AST) -> str:
        if isinstance(node, ast.Call):
            parts = [broken(a) for a in node.args]
            parts += [f"{k.arg}={broken(k.value)}" for k in node.keywords if k.arg is not None]
            inside = ",\n".join(indented(part) for part in parts)
            function = broken(node.func)
            return (
                f"{function}(  # {function.rpartition('.')[2].splitlines()[-1]}\n{inside},\n)"
                if parts
                else f"{function}()"
            )
        if isinstance(node, ast.Attribute):
            return f"{broken(node.value)}.{node.attr}"
        if isinstance(node, ast.BinOp):
            operator = ast.unparse(ast.BinOp(ast.Name("a"), node.op, ast.Name("b"))).split()[1]
            return f"(\n{indented(broken(node.left))}\n    {operator} {indented(broken(node.right)).strip()}\n)"
        return (
            f"({ast.unparse(node)})" if isinstance(node, ast.UnaryOp | ast.Compare | ast.Lambda) else ast.unparse(node)
        )

    lines = [text(above)] if above else []
    return writing.program("\n".join([*lines, f"return {broken(last.value)}"]))


@style("helper function")
def _helper(writing: Writing) -> str:
    names = {"x": "first", "y": "second"}

    def renamed(node: ast.expr) -> ast.expr | None:
        return ast.Name(names[node.id], node.ctx) if isinstance(node, ast.Name) and node.id in names else None

    helper = f"def helper(first, second):\n{indented(text(rewritten(writing.body, renamed)))}\n"
    return f"{writing.imports}\n\n\n{helper}\n\ndef f(x, y):\n    return helper(x, second=y)\n"


@style("inside a class")
def _class(writing: Writing) -> str:
    base = MODULE_CLASSES.get(writing.framework, "")
    build = "    def __init__(self):\n        super().__init__()\n\n"
    method = f"    def compute(self, x, y):\n{indented(writing.text, 8)}\n"
    return f"{writing.imports}\n\n\nclass Block({base}):\n{build}{method}\n\nf = Block().compute\n"
