"""Every rewriting, by what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from nanlint.rules import RULES
from tests.programs.fixtures import Program
from tests.rewriting import calls, frameworks, functions, order, selections, variables
from tests.rewriting.code import Code

#: what is rewritten, and the function that does it: it says how many places it changed
REWRITINGS: Mapping[str, Callable[[Code], int]] = {
    "variables extracted": variables.extract_variables,
    "variables inlined": variables.inline_variables,
    "variables assigned on both branches": variables.branches,
    "variables assigned in a loop": variables.loops_of_one_turn,
    "values made by a comprehension": variables.comprehensions,
    "fields of a dataclass": variables.dataclass_fields,
    "entries of a dict": variables.dict_entries,
    "elements of a tuple": variables.tuple_elements,
    "unpacked tuples": variables.unpacked_tuples,
    "helper functions": functions.helpers,
    "helper functions, by keyword": functions.helpers_by_keyword,
    "helper functions of operands": functions.operand_helpers,
    "lambdas": functions.lambdas,
    "functools.partial": functions.partials,
    "methods of a class": functions.methods,
    "attributes of an object": functions.objects,
    "keyword arguments": calls.keywords,
    "positional arguments": calls.positions,
    "methods for functions": calls.method_calls,
    "functions for methods": calls.function_calls,
    "functions under another name": calls.aliases,
    "functions for operators": calls.function_operators,
    "operands swapped": order.swapped,
    "differences as sums": order.negated,
    "comparisons mirrored": order.mirrored,
    "sums of a list": order.sums_of_lists,
    "squares as products": order.squares_as_products,
    "views": selections.views,
    "indexing": selections.indices,
    "selections": selections.selections,
    "in torch": frameworks.into("torch"),
    "in tensorflow": frameworks.into("tensorflow"),
    "in jax": frameworks.into("jax"),
}


def of(program: Program) -> Mapping[str, Callable[[Code], int]]:
    """The rewritings of a program: a bad one is not bad in a framework that has not got the hazard of its rule."""
    there = RULES[program.code].frameworks
    return {n: r for n, r in REWRITINGS.items() if not (program.is_bad and n.startswith("in ")) or n[3:] in there}
