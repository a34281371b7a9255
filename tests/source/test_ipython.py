"""IPython's additions to Python, cell by cell."""

from __future__ import annotations

import ast

import pytest

from nanlint.source.ipython import cell_program


def _program(cell: str) -> str:
    program = cell_program(cell).text
    assert program is not None, cell
    assert [len(line) for line in program.split("\n")] == [len(line) for line in cell.split("\n")]
    ast.parse(program)
    return program


@pytest.mark.parametrize(
    "cell",
    [
        "%matplotlib inline",
        "!pip install torch",
        "!!ls",
        "!pip install \\\n    torch \\\n    jax\nx = 1",
        "?torch.log",
        "??torch.log",
        "torch.log?",
        "torch.log??",
        "%time?",
        ",f a b",
        ";f a b",
        "/f a b",
        "files = !ls *.py",
        "a.b[0] = !echo it's",
        "here = %pwd",
        "if x:\n    %matplotlib inline\n    !ls\nelse:\n    y = 1",
        "def f():\n\t!ls\n\treturn 1",
        "# install it\n!pip install torch\n\n# look at it\n%time x = 1",
        "!echo 'unbalanced (\nx = (1,\n     2)",
        "x = f(\n    1\n)?",
        "%cd ..\r\nx = 1\r\n",
        "!é\nä = !ö",
    ],
)
def test_what_is_no_python_gives_way_to_a_stand_in_of_its_extent(cell: str) -> None:
    assert not any(sign in _program(cell) for sign in "!?%")


@pytest.mark.parametrize(
    "cell",
    [
        "x = (a\n     % b)",
        "x = a \\\n  % b",
        'x = """\n%time\n!ls\n"""',
        "x = a != b",
        "x = f'{a!r}'",
        "x = 'why?'",
        "x = [\n    '%s' % y,\n    # why?\n]",
        "y = x;",
        "x = await f()\nasync with g() as h:\n    pass",
    ],
)
def test_what_is_python_stays_as_it_is(cell: str) -> None:
    assert _program(cell) == cell


@pytest.mark.parametrize(
    ("cell", "program"),
    [
        ("%time y = f(x)", "_;    y = f(x)"),
        ("if a:\n    %time y = f(x)", "if a:\n    _;    y = f(x)"),
        ("%timeit -n 10 -r3 -o f(x)", "_;                   f(x)"),
        ("y = %timeit -o f(x)", "y =            f(x)"),
        ("%time y = f(x, \\\n  z)", "_;    y = f(x, \\\n  z)"),
        ("%time for i in x: f(i)", "_" + " " * 21),
        ("%timeit -X f(x)", "_" + " " * 14),
        ("%time", "_    "),
        ("%load_ext autoreload", "_" + " " * 19),
    ],
)
def test_what_a_magic_runs_as_python_stays_where_it_is(cell: str, program: str) -> None:
    assert _program(cell) == program


@pytest.mark.parametrize("magic", ["%%time", "%%timeit -n 3", "\n%%capture out", "%%prun"])
def test_the_body_of_a_magic_that_runs_python_is_python(magic: str) -> None:
    assert _program(f"{magic}\nx = 1").endswith("\nx = 1")


@pytest.mark.parametrize("magic", ["%%bash", "%%html", "%%writefile a.py", "%%R", "%%", "%%javascript"])
def test_a_cell_of_another_magic_is_no_python(magic: str) -> None:
    program = cell_program(f"{magic}\nx = 1")
    assert (program.text, program.failure) == (None, None)


def test_a_cell_that_ends_does_not_end_those_after_it() -> None:
    assert _program("return f(é)") == "_;     f(é)"
    assert _program("raise SystemExit(\n    1)\n").strip() == "_"
    assert _program("def f():\n    return 1") == "def f():\n    return 1"


def test_a_cell_that_is_no_python_at_all_says_why() -> None:
    program = cell_program("%time\nx = (")
    assert program.text is None
    assert program.failure is not None
    assert program.failure.span.row == 2


@pytest.mark.parametrize(
    "cell",
    [
        "    x = 1\n    y = 2",
        "\n  x = 1\n  y = 2\n",
        ">>> x = 1\n>>> y = 2",
        ">>> for i in x:\n...     y = i",
        "In [1]: x = 1",
        "import torch\n>>> x = 1",
        "files = !ls",
        "for i in x:\n    !echo {i}",
        "x = await f()",
        ",print a b",
        "async with f() as g:\n    pass",
    ],
)
def test_what_ipython_runs_is_no_syntax_error(cell: str) -> None:
    manager = pytest.importorskip("IPython.core.inputtransformer2").TransformerManager()
    compile(manager.transform_cell(cell), cell, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    assert cell_program(cell).failure is None
