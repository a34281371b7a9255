"""What a program is told on its command line: the options of its parsers, each with its default."""

from __future__ import annotations

import ast

from nanlint.frontend.modules import descendants, size_of
from nanlint.source.syntax import remembered

#: methods of a parser that give a part of it
PARTS = frozenset({"add_argument_group", "add_mutually_exclusive_group", "add_subparsers", "add_parser"})
#: methods of a parser that give what it was told
PARSED = frozenset({"parse_args", "parse_known_args", "parse_intermixed_args"})
#: what decorates a function with an option
DECORATING = frozenset({"click.option", "click.argument", "rich_click.option", "rich_click.argument"})


def option_name(call: ast.Call) -> str:
    """The name under which a program finds an option: the one it is given, or made of its first long flag."""
    flags = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    named = next((k.value for k in call.keywords if k.arg == "dest"), None)
    if isinstance(named, ast.Constant):
        return str(named.value)
    name = next((f for f in flags if not f.startswith("-")), None) or next((f for f in flags if f.startswith("--")), "")
    name = name or next(iter(flags), "")
    return name.lstrip("-").replace("-", "_")


@remembered
def size_of_options(definition: ast.AST) -> int:
    """How many pieces of syntax of a definition only say what options there are."""
    return sum(
        size_of(node)
        for node in descendants(definition)
        if isinstance(node, ast.Expr) and isinstance(call := node.value, ast.Call)
        if isinstance(call.func, ast.Attribute) and call.func.attr == "add_argument"
    )


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((k.value for k in call.keywords if k.arg == name), None)
