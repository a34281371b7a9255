"""What rules may ask: one object per file over graph, evaluator, hazards and gradient flow. Questions, no verdicts."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import cast

from nanlint.analysis.cancellation import Tail, held, left_by_cancellation, tail
from nanlint.analysis.epsilons import Epsilon, epsilons
from nanlint.analysis.evaluate import Evaluator
from nanlint.analysis.forms import LOGARITHMS, UNKNOWNS, own_logarithm
from nanlint.analysis.gaps import met_by_gradient
from nanlint.analysis.geometry import fractional, length_behind, lengths_behind, vectors_of, whole
from nanlint.analysis.gradient import INTEGERS, Flow, GradientFlow
from nanlint.analysis.late_guards import late_guard
from nanlint.analysis.names import is_epsilon, is_infinite_at_ends, trained, words
from nanlint.analysis.relations import on_grid, setting
from nanlint.analysis.roles import Roles
from nanlint.analysis.scenarios import breaks_further_on, kept_off, normalises, variables, zero_where
from nanlint.analysis.selections import (
    NOT_DATA,
    is_filled,
    is_single_slice,
    opens_axis,
    selects_by_mask,
    test_of_result,
    tests_result,
)
from nanlint.analysis.structure import LONGEST, bare, elementwise, factors, is_field, literal, same, uses, zero_together
from nanlint.diagnostic import Span
from nanlint.frontend.lower import Lowering
from nanlint.frontend.modules import descendants
from nanlint.graph.conditions import FILLED, implied
from nanlint.graph.node import ATTR, CALL, CONST, LOOP, PARAM, PHI, REFINE, TUPLE, Node, walk
from nanlint.hazards.gather import Hazards
from nanlint.hazards.record import Hazard
from nanlint.ops.floats import FLOAT64
from nanlint.ops.frameworks.training import PLAIN
from nanlint.ops.op import OPS, Pole
from nanlint.ops.selection import COMPARISONS, CONDITIONS
from nanlint.ops.value import CERTAIN, NEVER, POSSIBLE, SMALL, Kind, Value
from nanlint.source import Source
from nanlint.source.brief import brief
from nanlint.source.text import Located

#: ops that hand their operand on element by element, up to a constant factor that is not 0
LINEAR = frozenset({"neg", "view", "part", "cast", "identity", "stop_gradient", "tensor"})
#: nodes that hold numbers, or views of them: the default of a parameter, the elements of an array
HOLDS = LINEAR | {PARAM, REFINE, TUPLE, PHI, "list", "append", "concat"}
#: ops for which -inf is a number like others
ABSORBING = frozenset(
    {
        "categorical",
        "exp",
        "relu",
        "sigmoid",
        "softmax",
        "logsumexp",
        "logaddexp",
        "maximum",
        "max",
        "argmax",
        "argsort",
        "clamp",
        "tanh",
    }
    | {*COMPARISONS, "mul_no_nan", "div_no_nan", "xlogy"}
)
#: ops that give whole numbers whatever they are given, and annotations of what holds such
WHOLE = frozenset(
    {*COMPARISONS, *CONDITIONS, "isnan", "isinf", "isfinite", "integer", "size", "count_nonzero", "bincount"}
)
WHOLE_TYPES = INTEGERS | {"int", "bool"}
#: arrays of floating-point numbers, unless something else is said
FLOATS = frozenset({"zeros", "ones", "full"})
#: what shares the memory of an array
VIEWS = frozenset({"part", "view", "identity", REFINE, LOOP, PHI})
#: ops on the way to one: -inf stays -inf, or becomes inf
CARRYING = LINEAR | {REFINE, LOOP, PHI, "add", "abs", "concat", "list", "tuple"}
#: ops whose results hold an operand, or are sums and products of it
TERMS = LINEAR | {"add", "sub", "mul", "div", REFINE, PHI}
#: ops on the way to an exponential in which -inf stays -inf
STEADY = frozenset(
    {"sum", "mean", "cumsum", "view", "part", "cast", "identity", "tensor", "concat", "list"} | {REFINE, PHI}
)
#: bounds from below, and tests for one
FLOORS = frozenset({"maximum", "clamp", "relu", "abs", "nan_to_num", "lt", "le", "gt", "ge", "hypot"})
#: beside 1, x of at least this size keeps all but 3 of its bits
NEAR_ZERO = 0.125
BOUNDS = frozenset({"clamp", "maximum", "minimum"})
#: where an exponential is infinite
OVERFLOW = Pole("result", "pinf", "inf")
#: what asks for NaN, or takes it out
HOLES = frozenset({"isnan", "isfinite", "isinf", "nan_to_num", "without_nan"})
#: libraries of functions of NumPy's arrays
AS_NUMPY = {"scipy": "numpy"}
VARIANCES = frozenset({"var", "vars", "variance", "variances"})
#: ready-made losses
LOSSES = frozenset(
    {"cross_entropy", "bce_with_logits", "bce", "clipped_cross_entropy", "nll", "kl_div", "ctc", "squared_error"}
    | {"absolute_error", "log_cosh_loss", "hinge", "loss"}
)


class Facts:
    """The questions a rule may put to the analysis of one file."""

    def __init__(self, source: Source, lowering: Lowering) -> None:
        self.source = source
        self.lowering = lowering
        self.hazards = Hazards(lowering, Roles(lowering, source.tree, source.path))
        self.evaluator: Evaluator = self.hazards.evaluator
        self.gradient: GradientFlow = self.hazards.gradient

    def release(self) -> None:
        """Let go of all, most of which holds itself: nothing is asked any more."""
        self.lowering.release()
        self.hazards.release()
        vars(self).clear()

    def nodes(self, ops: frozenset[str]) -> Iterator[Node]:
        """Nodes of the given ops that stand somewhere in the source, in order of creation."""
        found = (node for op in ops for node in self.written.get(op, ()))
        return iter(sorted(found, key=lambda node: node.index))

    @cached_property
    def written(self) -> Mapping[str, list[Node]]:
        """The nodes that stand in the source, by op; those that the analysis adds to the graph do not."""
        found: dict[str, list[Node]] = {}
        for node in self.lowering.graph:
            if node.site is not None:
                found.setdefault(node.op, []).append(node)
        return found

    def all_hazards(self) -> Iterator[Hazard]:
        return iter(self.hazards)

    def as_set(self, node: Node) -> Value:
        """What a node is where all settings are what their defaults say."""
        return self.hazards.as_set.value(node)

    def value(self, node: Node) -> Value:
        """Range and health of a node."""
        return self.evaluator.value(node)

    def framework(self, node: Node) -> str:
        """The framework an op belongs to, as far as can be told; "" otherwise."""
        return self.gradient.owner(node) or ""

    def maker(self, node: Node) -> str | None:
        """The framework whose array a value is, by what makes it, or the only one that the file has; else None."""
        found = self.gradient.framework(node)
        if found in (None, "math", "builtins"):
            present = {AS_NUMPY.get(f, f) for f in self.lowering.frameworks}
            return present.pop() if len(present) == 1 else None
        return AS_NUMPY.get(found, found)

    def normalises(self, quotient: Node) -> bool:
        """Whether a quotient that is 0/0 is 0 by convention: an average of nothing, data over its length or sum."""
        count = self.value(quotient["b"]) if "b" in quotient.args else None
        averages = count is not None and count.whole and count.lo >= 0 and self.undefined(quotient)
        return averages or normalises(quotient, self.value)

    def undefined(self, quotient: Node) -> bool:
        """Whether a quotient is 0/0 wherever its denominator is 0, and never an infinity."""
        above = quotient.get("a")
        if above is None:
            return False
        averages = zero_together(quotient) and self.value(quotient["b"]).lo >= 0
        return averages or zero_where(above, quotient["b"], self.value)

    def has_limit(self, quotient: Node) -> bool:
        """Whether both sides of a quotient that is 0/0 are functions of one number: it tends to another there.

        That number may be computed of several others: what it is divided by.
        """
        if not self.undefined(quotient):
            return False
        above, below = quotient["a"], quotient["b"]
        alone = {below.key, bare(below).key}
        own = variables(above, alone)
        return len(variables(above) | variables(below)) == 1 or (bool(own) and own <= alone)

    def kept_off(self, hazard: Hazard, where: Node) -> bool:
        """Whether an operand is selected not to be at its pole where another node is 0."""
        return kept_off(hazard.operand, hazard.pole, where, self.value)

    def breaks_further_on(self, node: Node) -> Node | None:
        """The op that is at its pole because a node is 0, if there is one."""

        def poles(user: Node) -> Iterator[Pole]:
            found = self.hazards.poles(user, self.evaluator)
            return (pole for pole in found if not pole.gradient or self.differentiated(user))

        return breaks_further_on(node, poles, self.value)

    def differentiated(self, node: Node) -> bool:
        """Whether a gradient may flow through a node."""
        return self.gradient.flows(node)

    def converted(self, node: Node) -> bool:
        """Whether a gradient has to pass a conversion from what may be whole numbers, which have none."""
        return self.gradient.converted(node)

    def origin(self, node: Node | None, *ops: str) -> Node | None:
        """The op among ``ops`` whose elements these are: behind views, parts, casts, selections and joins."""
        found = walk(node, holding, 60) if node is not None else ()
        return next((n for n in found if n.op in ops), None)

    def always(self, node: Node | None, *ops: str, depth: int = 20) -> Node | None:
        """Like ``origin``, but only where every path leads to one of ``ops``: not what is so on some paths."""
        if node is None or node.op in ops or not depth:
            return node if node is not None and node.op in ops else None
        found = [self.always(n, *ops, depth=depth - 1) for n in holding(node) if node.op != LOOP]
        return found[0] if found and None not in found else None

    def unguarded(self, node: Node) -> Node:
        """What a small number was added to, or what was bounded, against being 0; the node itself otherwise."""
        inner = bare(node)
        if inner.op == "clamp":
            return inner["x"]
        if inner.op in ("add", "maximum"):
            for one, other in (("a", "b"), ("b", "a")):
                v = self.value(inner[one])
                if v.kind is Kind.SCALAR and 0 < v.lo <= v.hi < SMALL:
                    return inner[other]
        return node

    def clipped(self, clip: Node) -> Node | None:
        """What a clamp, maximum or minimum with a number bounds, of what it is all the same."""
        inner = clip.get("x")
        for one, other in (("a", "b"), ("b", "a")):
            if clip.op != "clamp" and self.value(clip[one]).constant is not None:
                inner = clip[other]
        return self.clipped(bare(inner)) if inner is not None and bare(inner).op in BOUNDS else inner

    def feeds_logarithm(self, node: Node) -> bool:
        """Whether a logarithm of a value, or of 1 minus it, is taken."""
        users = [*self.uses(node)]
        complements = [v for u in users if u.op == "sub" for v in self.uses(u)]
        return any(u.op in ("log", "log2", "log10", "log1p") for u in (*users, *complements))

    def uses(self, node: Node) -> Iterator[Node]:
        """Ops that take the node's elements as they are, up to sign, arrangement and constant factor."""

        def passes(user: Node, used: Node) -> bool:
            linear = user.op in LINEAR or user.op in (REFINE, LOOP, PHI)
            return linear or self.constant_factor(user, used) is not None

        return uses(node, passes, 80)

    def placed_zero(self, node: Node) -> bool:
        """Whether the 0 of a value is one that a selection puts there: a probability of 0 outside of the support."""
        selection = self.origin(node, "where")
        if selection is None:
            return False
        branches = [bare(selection[k]) for k in ("a", "b")]
        return any(b.op == "zeros" or self.value(b).constant == 0 for b in branches)

    def reduced(self, node: Node) -> bool:
        """Whether the node's elements end in one sum or mean."""
        return any(u.op in ("sum", "mean", "dot", "einsum", "cumsum") for u in self.beyond(node))

    def beyond(self, node: Node) -> Iterator[Node]:
        """Uses of the node's elements, also as terms and factors of others."""
        found = walk(node, lambda n: n.users if n is node or n.op in TERMS else (), 60)
        return (user for user in found if user is not node)

    def in_loss(self, node: Node) -> bool:
        """Whether a node stands in a function, method or class that is called a loss, an entropy, a policy …"""
        row = getattr(node.site, "lineno", 0)
        return any(first <= row <= last and trained(name) for name, first, last in self.definitions)

    @cached_property
    def definitions(self) -> list[tuple[str, int, int]]:
        """Name, first and last row of every function and class."""
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        return [
            (n.name, n.lineno, n.end_lineno or n.lineno) for n in descendants(self.source.tree) if isinstance(n, kinds)
        ]

    def protects(self, selection: Node, node: Node) -> bool:
        """Whether all that an op is differentiated with respect to passes a selection: its backward pass drops NaN."""

        def learned(n: Node) -> list[Node]:
            operands = (a for name, a in n.args.items() if name not in NOT_DATA and a is not selection)
            return [a for a in operands if self.gradient.learns(a, believed=True)]

        return not any(n.op in (PARAM, ATTR, CALL, LOOP, "variable") for n in walk(node, learned))

    def cancels_itself(self, length: Node, guard: Node) -> bool:
        """Whether a guarded length only divides its own vector."""
        users = list(self.uses(guard))
        behind = length_behind(length)
        return behind is not None and bool(users) and all(u.op == "div" and self.shares(u["a"], behind) for u in users)

    def divides(self, length: Node) -> bool:
        """Whether a length is only divided by: where it is 0, the quotient is no number either."""
        users = list(self.uses(length))
        return bool(users) and all(
            u.op == "div" and self.length_behind(u["b"]) is length and bare(u["a"]) is not length for u in users
        )

    def shares(self, node: Node, length: Node) -> bool:
        """Whether a numerator has the vector of a length as a factor, or a part of it: 0 where the length is."""
        return any(same(whole(f), whole(v)) for f in factors(node) for v in vectors_of(length))

    def length_behind(self, denominator: Node) -> Node | None:
        """The norm, distance or deviation that a denominator is, or has as a factor, where that may be 0."""
        return next((n for n in lengths_behind(denominator) if self.value(n).zero is not NEVER), None)

    def ignored_epsilon(self, node: Node) -> str | None:
        """The parameter of the function around a node that is an epsilon by its name, and never used."""
        around = self.function_at(node.site)
        if around is None:
            return None
        arguments = around.args
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs) if is_epsilon(a.arg)]
        used = {n.id for n in descendants(around) if isinstance(n, ast.Name)}
        return next((name for name in names if name not in used), None)

    def function_at(self, site: ast.AST | None) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The innermost function around a place of the file; None at the top level."""
        row = getattr(site, "lineno", 0)
        around = [f for f in self.functions if f.lineno <= row <= (f.end_lineno or f.lineno)]
        return around[-1] if around else None

    @cached_property
    def functions(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        """Every function, an inner one after the one it is in."""
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
        return [n for n in descendants(self.source.tree) if isinstance(n, kinds)]

    def selection_behind(self, node: Node) -> Node | None:
        """The elements that a mask, or the condition of a comprehension, selects, which a node holds one by one."""

        def as_many(n: Node) -> list[Node]:
            # an array some elements of which were set is as large as before
            filled = n.attrs.get("stored") or (n.op == REFINE and n.attrs["cmp"] == FILLED)
            if n.op == "diff" or is_field(n):
                return [n["x"]]
            if n.op == "concat" and bare(n["x"]).attrs.get("chosen"):
                # of no arrays it raises
                return []
            if n.op == PHI:
                return [n[k] for k in ("a", "b") if not self.filled_on_path(n, k)]
            if filled or n.op == "part" or not (n.op == REFINE or elementwise(n)):
                return []
            return [a for name, a in n.args.items() if name not in ("by", "cond", "index")]

        def selects(n: Node) -> bool:
            by_mask = n.op == "part" and not is_field(n) and selects_by_mask(n.get("index"), self.value)
            return by_mask or bool(n.attrs.get("chosen"))

        return next(filter(selects, walk(node, as_many, 40)), None)

    def filled_on_path(self, join: Node, branch: str) -> bool:
        """Whether the condition of a path says that an array is not empty there."""
        known = implied(self.lowering.graph, join["cond"], branch == "a") if "cond" in join.args else []
        return any(key == join[branch].key and said == FILLED for key, said, _ in known)

    def asked_how_many(self, reduction: Node) -> bool:
        """Whether the number of elements that are reduced is compared with another, here or wherever this is called."""
        return all(self.counted(n["x"]) for n in self.gradient.followed_calls(reduction) or [reduction])

    def counted(self, array: Node) -> bool:
        """Whether anything compares the number of elements of an array, or of what it was made from."""
        alike = (REFINE, PHI, "tensor", "view", "cast", "concat")
        made_of = list(walk(array, lambda n: n.args.values() if n.op in alike else (), 20))
        sizes = (n for n in self.nodes(frozenset({"size"})) if any(same(n["x"], part) for part in made_of))
        onward = ("part", "size", REFINE)
        handed_on = (m for n in sizes for m in walk(n, lambda n: [u for u in n.users if u.op in onward], 20))
        asked = (user for n in handed_on for user in n.users if user.op in COMPARISONS)
        return any(bare(user[k]).op != "size" for user in asked for k in ("a", "b"))

    def known_filled(self, selection: Node) -> bool:
        """Whether a condition on the way says that a selection, or its mask, is not empty, or the mask is true once."""
        if "index" not in selection.args:
            return is_filled(selection)
        index = self.value(selection["index"])
        return any(is_filled(part) for part in (selection, selection["index"])) or (index.whole and index.peak)

    def has_one_element(self, node: Node, axis: Node | None) -> bool:
        """Whether an array has exactly one element along an axis: a literal of one, or a slice from i to i + 1."""
        at = self.value(axis).constant if axis is not None else None
        while node.op == REFINE or node.op == "cast":
            node = node["x"]
        if node.op == TUPLE and not node.attrs.get("starred"):
            return len(node.args) == 1 and at in (None, 0.0)
        if node.op == "tensor":
            inner = bare(node)
            return inner.op in (CONST, TUPLE) and (inner.op == CONST or len(inner.args) == 1) and at in (None, 0.0)
        if node.op == "part" and node.get("index") is not None:
            return at == 0 and is_single_slice(node["index"], self.value)
        return node.op == "view" and at == 0 and node.get("index") is not None and opens_axis(node["index"])

    def proved_whole(self, node: Node) -> bool:
        """Whether a value is a whole number by what it is made of: a name proves nothing, and a mask may be soft."""

        def onward(n: Node) -> list[Node]:
            return [] if n.op in WHOLE else [a for name, a in n.args.items() if name not in NOT_DATA]

        made = {n.index: n for n in walk(node, onward)}

        def written_elsewhere(array: Node) -> bool:
            """Whether an array, or a view of it, is given to what may write there, other than what is seen."""
            views = walk(array, lambda n: (u for u in n.users if u.op in VIEWS and u.index not in made))
            users = (user for view in views for user in view.users)
            return any(user.op in ("stored", CALL) and user.index not in made for user in users)

        sources = (n for n in made.values() if n.op in UNKNOWNS)
        return (
            self.value(node).whole
            and all(n.attrs.get("annotation") in WHOLE_TYPES for n in sources)
            and not any(n.op in FLOATS and written_elsewhere(n) for n in made.values())
        )

    def whole_type(self, node: Node) -> bool:
        """Whether a value is of whole numbers by its type, too, as far as its literals say: 2.0 is none."""
        made = walk(node, lambda n: [] if n.op in WHOLE else [a for k, a in n.args.items() if k not in NOT_DATA])
        floats = (n.op in FLOATS or (n.op == CONST and n.attrs.get("type") == "float") for n in made)
        return self.value(node).whole and not any(floats)

    def fractional(self, exponent: Node) -> bool:
        """Whether an exponent is known not to be a whole number: a literal that is none, or 1 over something.

        A default is what it is unless somebody says otherwise; of an array one element is enough; one that is trained
        is whole nowhere.
        """
        c = self.value(exponent).constant
        if c is not None or fractional(exponent):
            return c is None or not float(c).is_integer()
        held = list(walk(exponent, lambda n: n.args.values() if n.op in HOLDS else (), 40))
        numbers = [n.attrs["value"] for n in held if n.op == CONST]
        trained = any(n.op == "variable" or n.attrs.get("requires_grad") for n in held)
        return trained or any(isinstance(x, float) and not x.is_integer() for x in numbers)

    def function_name(self, node: Node) -> str:
        """The name of the innermost function or class that a node stands in, "" outside of all."""
        row = getattr(node.site, "lineno", 0)
        inside = [name for name, first, last in self.definitions if first <= row <= last]
        return inside[-1] if inside else ""

    def names_logarithm(self, node: Node) -> bool:
        """Whether a node is what a function returns that is called a logarithm (log_prob, log_cdf): -inf is legal."""
        return words(self.function_name(node))[:1] == ("log",) and not node.users

    def means_infinity(self, node: Node) -> bool:
        """Whether a node is an element of what is infinite at the ends of a domain, by the name of its function.

        A logarithm of a probability is, a quantile, a ratio in decibel. What is summed or averaged is not.
        """
        return is_infinite_at_ends(self.function_name(node)) and not self.reduced(node)

    def returned_as_variance(self, node: Node) -> bool:
        """Whether a node is what a function returns that is called a variance: what becomes of it is its callers'."""
        return bool(VARIANCES & set(words(self.function_name(node)))) and not list(self.uses(node))

    def tested_for_infinity(self, node: Node) -> bool:
        """Whether the author looks at a value, or at its sum or mean, for NaN or Inf."""
        return any(u.op in ("isnan", "isinf", "isfinite", "nan_to_num") for u in (*node.users, *self.beyond(node)))

    def late_guard(self, hazard: Hazard) -> Node | None:
        """The use of the result that guards it, too late for the gradient."""
        return late_guard(hazard.node, hazard.pole, self.value)

    def bound_at(self, clamp: Node, pole: Pole) -> bool:
        bounds = [self.value(a).constant for name, a in clamp.args.items() if name != "x"]
        return pole.cls == "zero" and any(c is not None and c + pole.shift == 0 for c in bounds)

    def placeholder(self, selection: Node, pole: Pole) -> str | None:
        """The branch of a selection ("a" or "b") that is a number at the pole."""
        for branch in ("a", "b"):
            c = self.value(selection[branch]).constant if branch in selection.args else None
            if c is not None and pole.cls == "zero" and c + pole.shift == 0:
                return branch
        return None

    def epsilons(self, node: Node) -> Iterator[Epsilon]:
        """Epsilons put against the poles of an op that do not count.

        NumPy computes in float64, unless the file says otherwise: of 1 - 1e-8 it is silent beside other frameworks.
        """
        if self.framework(node) in PLAIN and self.evaluator.top.format is not FLOAT64:
            return
        for pole in self.hazards.poles(node, self.evaluator):
            if not self.hazards.deliberate(node) and (not pole.gradient or self.differentiated(node)):
                yield from epsilons(node, pole, self.value)

    def masked_result(self, mask: Node) -> Node | None:
        """What ``nan_to_num(y)`` or ``where(isnan(y), 0, y)`` takes the NaN out of."""
        if mask.op == "nan_to_num":
            return mask["x"]
        test = test_of_result(mask["cond"]) if "cond" in mask.args else None
        return test["x"] if test is not None and any(same(test["x"], mask[k]) for k in ("a", "b")) else None

    def behind_mask(self, mask: Node) -> Node | None:
        """The op that can make NaN what a mask takes out, and its gradient with it."""
        result = self.masked_result(mask)
        test = test_of_result(mask["cond"]) if "cond" in mask.args else None
        infinite = test is None or test.op != "isnan"
        return next(self.hazards.behind_mask(result, infinite=infinite), None) if result is not None else None

    def gap(self, mask: Node) -> tuple[Node, Node] | None:
        """The op whose slope is NaN where the data is that a selection takes NaN out of, too late; and that data."""
        found = met_by_gradient(mask, lambda node: self.gradient.learns(node, believed=True))
        return found if found is not None and self.differentiated(mask) else None

    def unchecked(self, table: Node) -> list[Node] | None:
        """The uses of a table as it was read, up to arithmetic; None where something asks for its NaN, or fills it."""
        pending, found = [table], {table.index: table}
        while pending and len(found) < 200:
            for user in pending.pop().users:
                if user.op in HOLES or (user.op in ("eq", "ne") and user["a"].key == user["b"].key):
                    return None
                carries = user.op in (REFINE, PHI, LOOP, TUPLE, "list") or elementwise(user)
                if user.index not in found:
                    found[user.index] = user
                    pending += [user] if carries or user.op in ("dot", "stored") else []
        return list(found.values())

    def is_gradient(self, node: Node) -> bool:
        """Whether a node is a gradient: of a tape, of a transformed function, or what a parameter holds."""
        inner = bare(node)
        held = inner.op == ATTR and inner.name == "grad"
        return held or inner.op == "gradient" or bool(inner.attrs.get("gradient"))

    def is_loss(self, node: Node) -> bool:
        """Whether a value is a loss: by its op, or by the name of the variable that holds it."""
        inner = bare(node)
        if inner.op in ("mean", "sum") and "x" in inner.args:
            inner = bare(inner["x"])
        return inner.op in LOSSES or "loss" in words(str(inner.attrs.get("variable") or inner.name))

    def trained(self, node: Node) -> bool:
        """Whether the file shows that a gradient is taken of a value."""
        return self.gradient.judge(node).flow is Flow.SHOWN

    def doubted(self, node: Node) -> bool:
        """Whether no gradient flows through a node, or none is believed to."""
        return self.gradient.judge(node).flow <= Flow.DOUBTFUL

    def tests_result(self, selection: Node) -> bool:
        """Whether a selection asks for NaN or Inf themselves, not for what leads to them."""
        return tests_result(selection["cond"]) if "cond" in selection.args else False

    def absorbed(self, node: Node) -> bool:
        """Whether every use of a node takes -inf for what it means: exp, relu, a maximum, a softmax of log-weights."""
        pending, seen, met = [(node, True)], {node.index}, False
        while pending:
            current, below = pending.pop()
            if current.op == "neg" and not current.users and current.index not in self.lowering.escapes:
                # its sum became a difference
                continue
            if not current.users or len(seen) > 60:
                return False
            for user in current.users:
                if user.index in seen:
                    continue
                seen.add(user.index)
                if user.op in ABSORBING:
                    met = True
                elif user.op == "neg" or (user.op == "sub" and user["a"] is not current):
                    pending.append((user, not below))
                elif user.op in CARRYING or user.op == "sub" or self.scales(user, current):
                    pending.append((user, below))
                elif user.op in LOGARITHMS and not below:
                    # the logarithm of inf is one
                    pending.append((user, below))
                else:
                    return False
        return met

    def scales(self, product: Node, operand: Node) -> bool:
        """Whether a product or quotient is of its operand and a setting, which nobody means to be negative."""
        if product.op not in ("mul", "div") or (product.op == "div" and product["a"] is not operand):
            return False
        factor = product["b"] if product["a"] is operand else product["a"]
        return setting(bare(factor), self.value(factor)) and self.value(factor).hi > 0

    def exponentiated(self, node: Node) -> bool:
        """Whether every use of a node leads through sums and means to an exponential: exp(-inf) is 0, as is meant."""

        def passes(user: Node, used: Node) -> bool:
            if user.op in ("mul", "div"):
                other = user["b"] if user["a"] is used else user["a"]
                return self.value(other).lo >= 0 and not (user.op == "div" and user["b"] is used)
            return user.op in STEADY

        found = list(uses(node, passes, 60))
        return bool(found) and all(user.op == "exp" for user in found)

    def frequency(self, node: Node) -> bool:
        """Whether a number is how often something holds: the mean of a condition, or its sum divided."""
        part = bare(node)
        if part.op == "div":
            part = bare(part["a"])
        return part.op in ("mean", "sum", "count_nonzero") and bare(part["x"]).op in CONDITIONS

    def constant_factor(self, product: Node, operand: Node) -> float | None:
        """The number that ``product`` multiplies ``operand`` by, if that is what it does."""
        if product.op not in ("mul", "div"):
            return None
        other = product["b"] if product["a"] is operand else product["a"]
        if other is operand or (product.op == "div" and other is product["a"]):
            return None
        c = self.value(other).constant
        return c if c not in (None, 0.0) else None

    def partner(self, node: Node) -> tuple[Node, Node] | None:
        """The product that takes the node's elements, and its other factor."""
        for user in self.uses(node):
            if user.op == "mul":
                for mine, other in (("a", "b"), ("b", "a")):
                    if self.carries(user[mine], node) and not self.carries(user[other], node):
                        return user, user[other]
        return own_logarithm(node) if node.op in LOGARITHMS else None

    def cancels(self, node: Node) -> bool:
        """Whether a node is a difference of numbers that are nearly equal, by the way it is written."""
        return left_by_cancellation(node, self.value)

    def tail(self, operand: Node, *, plus: float = 0.0) -> Tail | None:
        """``operand + plus`` as something that rounding takes to 0 in a tail."""
        return tail(operand, self.value, plus=plus)

    def held(self, found: Tail) -> bool:
        """Whether bounds that stand elsewhere may keep what saturates off its tail."""
        return held(found, self.value)

    def floored(self, node: Node) -> bool:
        """Whether some use of the node's elements bounds them from below, or asks whether they are."""
        return any(u.op in FLOORS for u in self.uses(node))

    def only_for(self, node: Node, ops: frozenset[str]) -> bool:
        """Whether every use of the node's elements is one of these ops."""
        uses = list(self.uses(node))
        return bool(uses) and all(u.op in ops for u in uses)

    def replaced_at(self, hazard: Hazard, product: Node, factor: Node) -> bool:
        """Whether selections take something else for a product where its factor is 0 and the other op at its pole."""
        return self.hazards.replaced_where(product, ((factor, 0.0), (hazard.operand, -hazard.pole.shift)))

    def may_overflow(self, exp: Node) -> bool:
        """Whether nothing keeps an exponential from inf, here or where the function around it is called."""
        return self.value(exp).pinf >= POSSIBLE and not self.hazards.kept_off_by_callers(exp, OVERFLOW)

    def scalar(self, node: Node) -> bool:
        """Whether an op works on Python numbers, where Python raises instead of making a NaN."""
        return self.hazards.scalar(node, self.value(next(iter(node.args.values()))))

    def varies(self, x: Node) -> bool:
        """Whether x is data: no number of Python's, nothing made from literals or a grid, which its author sees."""
        v = self.value(x)
        if v.constant is not None or v.kind is Kind.SCALAR or self.framework(x) in ("math", "builtins"):
            return False
        return not on_grid(x) and not literal(x)

    def loses_digits(self, x: Node) -> bool:
        """Whether x is data that may be so near to 0 that beside 1 its last digits go; whole numbers have none."""
        v = self.value(x)
        return not v.whole and v.lo < NEAR_ZERO and v.hi > -NEAR_ZERO and self.varies(x)

    def loses_digits_against(self, leg: Node, other: Node, other_leg: Node | None) -> bool:
        """Whether the square of ``leg`` may be nearly ``other``, which is 1 or the square of ``other_leg``."""
        if not self.varies(leg):
            return False
        if other_leg is not None:
            return self.varies(other_leg)
        v = self.value(leg)
        return self.value(other).constant == 1 and max(-v.lo, v.hi) > 1 - NEAR_ZERO and not v.whole

    def carries(self, node: Node, source: Node) -> bool:
        """Whether ``node`` is ``source`` up to sign, arrangement and constant factors."""
        for _ in range(20):
            node = bare(node)
            if node is source or node.key == source.key:
                return True
            if node.op in LINEAR and "x" in node.args:
                node = node["x"]
            elif node.op in ("mul", "div") and self.constant_factor(node, node["a"]) is not None:
                node = node["a"]
            elif node.op == "mul" and self.constant_factor(node, node["b"]) is not None:
                node = node["b"]
            else:
                return False
        return False

    def bare(self, node: Node) -> Node:
        """The node behind views, casts, refinements and stopped gradients."""
        return bare(node)

    def unsigned(self, node: Node) -> Node:
        """The node behind views and a minus sign."""
        inner = bare(node)
        return bare(inner["x"]) if inner.op == "neg" else inner

    def factors(self, node: Node) -> list[Node]:
        return factors(node)

    def same(self, a: Node, b: Node) -> bool:
        """Whether two nodes are the same numbers up to arrangement."""
        return same(a, b)

    def is_constant(self, node: Node, number: float) -> bool:
        return node.op == CONST and node.attrs.get("value") == number

    def is_nan(self, node: Node) -> bool:
        return node.op == CONST and self.value(node).nan is CERTAIN

    def span(self, node: Node) -> Span | None:
        """Where a node stands in the source."""
        return self.span_of(node.site)

    def span_of(self, site: ast.AST | None) -> Span | None:
        """Where an expression stands; None for what is in another file."""
        here = hasattr(site, "lineno") and self.lowering.graph.file_of(site) is None
        return self.source.span(cast(Located, site)) if here else None

    def text(self, node: Node) -> str:
        """Source of a node, on one line and short."""
        span = self.span(node)
        if span is None:
            return ""
        return brief(self.source.segment(span), LONGEST)


def holding(node: Node) -> list[Node]:
    """What the elements of a node are those of: a view, a part or a cast of one, a selection or a join of several."""
    op = OPS.get(node.op)
    if node.op in (PHI, "where", LOOP):
        return [node[k] for k in ("back", "pre", "b", "a") if k in node.args]
    hands_on = node.op in (REFINE, "cast", "identity", "stop_gradient", "dropout") or (op is not None and op.view)
    return [node["x"]] if hands_on and "x" in node.args else []
