"""Where the health of an operand meets a pole: hazards of a file, forward, in the gradient, and behind a selection."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import PurePath

from nanlint.analysis.algebra import monomial
from nanlint.analysis.by_use import met_by_use
from nanlint.analysis.demand import DECIDES, LOGGED, WAITS, ends_at
from nanlint.analysis.epsilons import number_of, small
from nanlint.analysis.evaluate import Evaluator
from nanlint.analysis.forms import UNKNOWNS, evidence_by_form, products
from nanlint.analysis.geometry import holds_each_pair, tells_diagonal
from nanlint.analysis.gradient import Flow, GradientFlow
from nanlint.analysis.late_guards import as_large, late_guard, leaves_finite
from nanlint.analysis.relations import GRIDS
from nanlint.analysis.roles import Roles
from nanlint.analysis.scenarios import Executions, Met, degenerate, excluded, saturated, where_each_is
from nanlint.analysis.selections import NOT_DATA, keeps_finite, taken_by, tests_result
from nanlint.analysis.structure import Evaluate, asked_once, bare, depends, elementwise, same, uses, zero_together
from nanlint.analysis.unguarded import unguarded
from nanlint.frontend.callers import MAIN
from nanlint.frontend.lower import Lowering
from nanlint.graph.node import CALL, CONST, LOOP, PARAM, PHI, REFINE, TUPLE, Node, walk
from nanlint.hazards.level import ROWS, Row, row_of
from nanlint.hazards.record import RULED_OUT, Cleared, Hazard, Maker, Seen, Sink, moved
from nanlint.interrupt import checkpoint
from nanlint.ops.frameworks.training import KEEPS_ZERO_GRADIENT, PLAIN, SELECTS_BACKWARD
from nanlint.ops.op import OPS, Pole, shifted
from nanlint.ops.selection import CONDITIONS
from nanlint.ops.value import (
    CERTAIN,
    INF,
    LIKELY,
    NEVER,
    OF_A_CALLER,
    POSSIBLE,
    UNKNOWN,
    Evidence,
    Kind,
    Origin,
    Reach,
    Value,
    always,
    constant,
)
from nanlint.source.brief import brief

#: ops that are 0 for something never negative only where all of it is, and hand their slope on to each of it
ALL_ZERO = frozenset({"sum", "mean", "square", "norm", "max", "cast", "view", "concat", "list", TUPLE})
#: how far a hazard is followed forward to a selection, or back from one
MAX_STEPS = 14
#: ops that are looked at behind a selection: behind one of its branches, or its condition
MAX_BEHIND = 200
#: reductions that leave out what is NaN
SKIP_NAN = frozenset({"nanmean", "nansum"})
#: what selects elements, and what adds up how many there are
SELECTED = frozenset({*CONDITIONS, *UNKNOWNS, "isfinite", "isnan", "sum", "cumsum"})
#: how sure what must hold of other operands is, what a use says, and what data -> what is seen then
OTHERS = {UNKNOWN: Seen.OTHERS_UNKNOWN, POSSIBLE: Seen.OTHERS_POSSIBLE, LIKELY: Seen.OTHERS_LIKELY}
#: what is seen of forms by their origin: of a power in log space the base and the exponent are both at their bounds
FORMS: dict[Origin | None, Seen] = {Origin.BOUND: Seen.POWER_IN_LOGS, Origin.OWN_TEST: Seen.TOO_LATE}
USES = {POSSIBLE: Seen.USED_SO, LIKELY: Seen.OFTEN_USED_SO}
#: words of a documentation that speaks of what is not a number
NAN = frozenset({"nan", "nans"})
#: uses of a result that are looked at
MAX_USES = 40


class Hazards:
    """Finds hazards in the graph of one file."""

    def __init__(self, lowering: Lowering, roles: Roles) -> None:
        self.lowering = lowering
        self.evaluator = Evaluator(lowering)
        self.gradient = GradientFlow(lowering, roles)
        self.executions = Executions(self.evaluator.value)

    def __iter__(self) -> Iterator[Hazard]:
        for node in list(self.lowering.graph):
            checkpoint()
            if node.op == "where":
                yield from self.traps_behind(node)
            yield from (one for one in self.weighed(node) if isinstance(one, Hazard))

    @cached_property
    def as_set(self) -> Evaluator:
        """What is known where all settings are what their defaults say."""
        found = Evaluator(self.lowering)
        found.by_default = True
        return found

    def release(self) -> None:
        """Let go of all, most of which holds itself: nothing is asked any more."""
        for evaluator in (self.evaluator, vars(self).get("as_set")):
            if evaluator is not None:
                evaluator.release()
        vars(self).clear()

    # ── poles ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def poles(self, node: Node, evaluator: Evaluator) -> tuple[Pole, ...]:
        """The poles of a node in its framework; those of a power depend on its exponent."""
        op = OPS.get(node.op)
        if op is None or node.site is None or not op.breaks:
            return ()
        poles = op.poles
        if op.poles_for is not None:
            poles = op.poles_for({name: evaluator.value(operand) for name, operand in node.args.items()})
        if all(pole.frameworks is None for pole in poles):
            return poles
        owner = self.gradient.owner(node)
        return tuple(pole for pole in poles if pole.frameworks is None or owner in pole.frameworks)

    def own_poles(self, node: Node) -> Iterator[Pole]:
        """The poles at which a node is weighed: that a result overflows is for those who look at it further on."""
        return (p for p in self.poles(node, self.evaluator) if p.operand != "result" or p.gradient)

    def operand(self, node: Node, pole: Pole, evaluator: Evaluator) -> tuple[Node, Value] | None:
        """The operand a pole speaks of, and its value, shifted as the pole says; "result" is the node itself."""
        if pole.operand == "result":
            return node, evaluator.value(node)
        source = node.get(pole.name)
        return None if source is None else (source, moved(evaluator.value(source), pole.shift))

    def also(self, node: Node, pole: Pole, evaluator: Evaluator) -> list[Reach]:
        """Reach of what must hold of other operands at the same time.

        Of an unknown number nothing is more ordinary than that it is positive; one that shares a factor with the
        operand at 0 is 0 with it; 1 over a whole number is hardly ever more than 1.
        """
        found = []
        for name, shift, cls in ((*shifted(operand), cls) for operand, cls in pole.also):
            if name not in node.args:
                continue
            reach = moved(evaluator.value(node[name]), shift).reach(cls)
            if pole.cls == "zero" and cls in ("pos", "neg") and pole.name in node.args:
                zero, other = (monomial(node[k], evaluator.value) for k in (pole.name, name))
                parts = other.below and all(evaluator.value(one).whole for one in other.below)
                if any(same(factor, one) for factor in zero.above for one in other.above):
                    reach = NEVER
                elif reach is UNKNOWN and (cls == "pos" or (parts and not other.above and abs(other.number) <= -shift)):
                    reach = LIKELY
            found.append(reach)
        return found

    def kept_off_by_settings(self, node: Node, pole: Pole) -> bool:
        """Whether an operand that has to be somewhere at a pole is not, as long as it is what it is set to."""
        for operand, cls in pole.also:
            name, shift = shifted(operand)
            number = number_of(node[name], self.evaluator.value) if name in node.args else None
            if number is not None and moved(constant(number), shift).reach(cls) is NEVER:
                return True
        return False

    def deliberate(self, node: Node) -> bool:
        """Whether the author switched NumPy's own warning off around it."""
        return any(r.kind == "errstate" for r in node.regions) and self.gradient.owner(node) in ("numpy", "scipy")

    def weighed(self, node: Node) -> Iterator[Hazard | Cleared]:
        """What comes of each pole of a node: a hazard, or why there is none."""
        for pole in self.own_poles(node):
            if self.deliberate(node):
                yield Cleared(node, pole, "it is inside `errstate`, so the author expects it")
            else:
                yield self.weigh(node, pole)

    def weigh(self, node: Node, pole: Pole) -> Hazard | Cleared:
        """The record of one op at one pole, if there is evidence for it; else why it is no hazard."""
        found = self.operand(node, pole, self.evaluator)
        if found is None:
            return Cleared(node, pole, "the operand is not given")
        hazard = self.made(node, pole, *found)
        if hazard is None:
            return Cleared(node, pole, RULED_OUT, found[1])
        if hazard.reach < POSSIBLE:
            return Cleared(node, pole, "nothing in the code suggests it", hazard.value)
        if (why := self.kept_off_here(hazard)) is not None:
            return Cleared(node, pole, why, hazard.value)
        guard = self.masked_by(node, pole)
        if (why := self.does_no_harm(hazard, guard)) is not None:
            return Cleared(node, pole, why, hazard.value)
        if guard is not None:
            hazard = replace(hazard, seen={**hazard.seen, Seen.HIDDEN: guard})
        hazard = hazard.but(*self.guards_of(hazard), *self.sinks_of(hazard))
        hazard = replace(hazard, sink=self.sink(hazard))
        row = hazard.evidence.origin is (Origin.COINCIDENCE if pole.gradient else Origin.ROW)
        spared = hazard.reach > POSSIBLE and self.kept_off_by_callers(node, pole, row=row)
        return hazard.but(spared and Seen.BY_CALLERS)

    def made(self, node: Node, pole: Pole, source: Node, v: Value) -> Hazard | None:
        """Who takes an op to a pole, with what was seen of that; None where nothing can."""
        surely, own = always(v, pole.cls), v.evidence(pole.cls)
        reach = CERTAIN if surely else v.reach(pole.cls)
        others = min(self.also(node, pole, self.evaluator), default=CERTAIN)
        if NEVER in (reach, others):
            return None
        # no more than that, unless something else makes it so
        of_caller = own is not None and own.origin in OF_A_CALLER and reach < CERTAIN and not pole.gradient
        hazard = Hazard(node, pole, source, v, Maker(reach, evidence_of(v, pole, source))).but(
            own is None and not surely and Seen.UNCONFIRMED,
            of_caller and Seen.OF_A_CALLER,
            OTHERS.get(others, False),
        )
        for mark, evidence in self.with_evidence(hazard):
            hazard = replace(hazard, maker=Maker(reach, evidence)).but(mark)
        return hazard

    def with_evidence(self, hazard: Hazard) -> Iterator[tuple[Seen, Evidence]]:
        """What speaks for a pole where the value does not, the more of it the less is known."""
        node, pole, source, reach = hazard.node, hazard.pole, hazard.operand, hazard.reach
        form = evidence_by_form(node, pole, source, self.evaluator.value) if reach < LIKELY else None
        if form is not None and self.product_replaced(node, pole, source):
            form = None
        form = form or self.expected(node, pole, reach)
        if form is not None:
            yield FORMS.get(form.origin, Seen.BY_FORM), form
            return
        met = met_by_use(node, pole, source, self.evaluator.at(node).value) if reach < LIKELY else None
        if met is not None:
            reach = max(reach, met[0])
            yield USES[met[0]], met[1]
        learned = self.gradient.owner(node) not in PLAIN
        wanted = reach < LIKELY and not self.scalar(node, hazard.value) and not self.of_known(pole, source)
        scenarios = degenerate(node, pole, source, self.executions, learned=learned) if wanted else iter(())
        if (likeliest := surest(scenarios)) is not None and likeliest[0].least > reach:
            reach = likeliest[0].least
            yield likeliest[0].seen, likeliest[1]
        ends = saturated(node, pole, source, self.evaluator.value) if wanted and reach < LIKELY else None
        if ends is not None:
            reach = LIKELY
            yield Seen.SATURATED, ends
        if reach is UNKNOWN and (open_to_it := unguarded(node, pole, source, self.evaluator.value)) is not None:
            yield Seen.UNCHECKED, open_to_it

    def kept_off_here(self, hazard: Hazard) -> str | None:
        """Why an op is not at a pole, or a slope is not felt, by what comes before it."""
        node, pole = hazard.node, hazard.pole
        there = self.ruled_out_there(node, pole, hazard.value)
        if there or excluded(node, pole, hazard.operand, self.evaluator.value):
            return RULED_OUT
        if pole.gradient:
            obstacle = self.gradient.obstacle(node)
            if obstacle is not None:
                return f"only the gradient breaks, and none flows: {obstacle}"
            if self.reach_with_gradient(hazard) is NEVER:
                return f"the backward pass of the {bare(felt(hazard)).op} below stops the gradient"
        if self.scalar(node, hazard.value):
            return "works on Python numbers, for which Python raises an exception instead of giving nan"
        return None

    def does_no_harm(self, hazard: Hazard, guard: Node | None) -> str | None:
        """Why what an op gives at a pole is harmless, by what comes after it. ``guard``: what drops the value."""
        flows = self.gradient.flows(hazard.node)
        if guard is not None and not flows:
            return f"a later {guard.op} drops the bad value, and no gradient flows"
        if guard is not None and guard.op == "where" and self.ends_behind(guard, hazard.node):
            return f"a later {guard.op} drops the bad value, and an earlier one its gradient"
        if guard is not None and self.undefined_elsewhere(guard):
            return f"the later {guard.op} gives nan or inf there on purpose"
        return None

    def guards_of(self, hazard: Hazard) -> tuple[Seen | bool, ...]:
        """What is meant to keep an op off a pole, or hides it."""
        node, pole, guard, evidence = hazard.node, hazard.pole, hazard.guard, hazard.evidence
        plain = self.gradient.owner(node) in PLAIN
        return (
            bool(pole.also) and self.kept_off_by_settings(node, pole) and Seen.BY_SETTINGS,
            pole.gradient and self.reach_with_gradient(hazard) is LIKELY and Seen.BOUNDED_BELOW,
            guard is not None and self.repaired(hazard, guard) and Seen.REPAIRED,
            guard is not None and self.keeps_zero_gradient(node) and Seen.ZERO_STAYS,
            plain and evidence.origin is Origin.EMPTY and chosen_once(evidence.node) and Seen.CHOSEN_ONCE,
        )

    def repaired(self, hazard: Hazard, guard: Node) -> bool:
        """Whether a selection is there to repair the value, and nothing says that the operand is learned."""
        used = not hazard.seen.keys().isdisjoint(USES.values())
        return used or ("stored" in guard.attrs and self.gradient.judge(hazard.node).flow is not Flow.SHOWN)

    def sinks_of(self, hazard: Hazard) -> tuple[Seen | bool, ...]:
        """Where what an op gives at a pole goes."""
        node, gradient, hidden = hazard.node, hazard.pole.gradient, hazard.guard is not None
        shown = gradient and self.gradient.judge(node).flow is Flow.SHOWN
        if gradient or hidden:
            return self.unlearned(node, tested=hidden) and Seen.UNLEARNED, gradient and not shown and Seen.BELIEVED
        ways, own = self.gradient.demand.ways(node), hazard.value.evidence(hazard.pole.cls)
        matches = own is not None and own.origin is Origin.EMPTY and not own.named and hazard.reach < CERTAIN
        learned = self.gradient.owner(node) not in PLAIN
        return (
            matches and learned and self.gradient.judge(node).flow <= Flow.DOUBTFUL and Seen.COUNTED,
            not (ways and (self.taken_up(node) or not self.is_element(node))) and Seen.DISCARDED,
            ways == {DECIDES} and Seen.DECIDES,
            LOGGED in ways and ways <= {DECIDES, LOGGED} and not self.is_result(node) and Seen.LOGGED,
            "nan" in hazard.pole.gives and self.documented(node) and Seen.DOCUMENTED,
        )

    def is_result(self, node: Node) -> bool:
        """Whether a script prints a value outside of all functions: that is what it computes."""
        printed = (end.node for end in self.gradient.demand.ends(node) if end.way == LOGGED)
        around = (self.gradient.roles.function_of(n)[1] for n in printed)
        return any(f is None or f.name == MAIN for f in around)

    def is_element(self, node: Node) -> bool:
        """Whether a function gives a value as one of several; a call may throw away the only one of a function."""
        return any(end.node.op == TUPLE for end in self.gradient.demand.ends(node))

    def taken_up(self, node: Node) -> set[str]:
        """Where a value goes; of one that a function gives, where it does in the calls that are seen."""
        return set().union(*map(self.gradient.demand.ways, self.gradient.followed_calls(node) or [node]))

    def sink(self, hazard: Hazard) -> Sink:
        """Where what an op gives at a pole goes, after what was seen of that."""
        judged = self.gradient.judge(hazard.node)
        if hazard.pole.gradient or hazard.guard is not None:
            words = self.taken_at(hazard.node, judged.taker) if judged.taker is not None else judged.why
            return Sink("gradient", judged.flow, judged.taker, words)
        for kind in ("decides", "logged", "discarded", "documented"):
            if ROWS[kind].seen in hazard.seen:
                return Sink(kind, judged.flow, None, ROWS[kind].why)
        return Sink("value", judged.flow, None, "")

    def taken_at(self, node: Node, taker: Node) -> str:
        """What takes the gradient of a node, where, and through which function it comes there."""
        site = taker.site or taker.external_site
        home = self.lowering.graph.file_of(site)
        row = getattr(site, "lineno", 0)
        place = f"line {row}" if home is None else f"{PurePath(home).name}:{row}"
        inside, outside = (self.gradient.roles.function_of(n)[1] for n in (node, taker))
        through = f" through `{inside.name}`" if inside is not None and inside is not outside else ""
        return f"reaches `{brief(ast.unparse(site)) if site is not None else taker.op}` in {place}{through}"

    def documented(self, node: Node) -> bool:
        """Whether the documentation of the function around a node speaks of NaN."""
        function = self.gradient.roles.function_of(node)[1]
        told = ast.get_docstring(function) if function is not None else None
        return told is not None and not NAN.isdisjoint(re.findall(r"\w+", told.lower()))

    def of_known(self, pole: Pole, operand: Node) -> bool:
        """Whether an operand that would have to be 0 is a product of what is known not to be."""
        parts = monomial(operand, self.evaluator.value).above if pole.cls == "zero" and not pole.shift else ()
        return len(parts) > 1 and all(self.evaluator.value(part).zero is NEVER for part in parts)

    def kept_off_by_callers(self, node: Node, pole: Pole, *, row: bool = False) -> bool:
        """Whether no call that is seen takes an op to a pole, by more than the numbers that it is given there.

        Others may call it, too: that is a belief. ``row``: it takes a row of zeros, or points that coincide, which a
        call may hardly give.
        """
        called = self.gradient.followed_calls(node)
        weighed = (self.weigh(n, pole) for n in called)
        off = (one.reach <= POSSIBLE and row if isinstance(one, Hazard) else one.why == RULED_OUT for one in weighed)
        return bool(called) and all(off) and all(map(of_unknown, called))

    def ruled_out_there(self, node: Node, pole: Pole, anywhere: Value) -> bool:
        """Whether the path to an op rules a pole out: by a condition that also chose what the operand is made of."""
        there = self.evaluator.at(node)
        if there is self.evaluator:
            return False
        found = self.operand(node, pole, there)
        reaches = [] if found is None else [found[1].reach(pole.cls), *self.also(node, pole, there)]
        return min(reaches, default=POSSIBLE) < min(anywhere.reach(pole.cls), POSSIBLE)

    def unlearned(self, node: Node, *, tested: bool) -> bool:
        """Whether nothing learned is seen to meet a hazard of the gradient alone.

        ``tested``: the author tests for the pole, so that the gradient is all that is believed.
        """
        return self.gradient.judge(node).flow <= (Flow.DOUBTFUL if tested else Flow.BELIEVED)

    def expected(self, node: Node, pole: Pole, reach: Reach) -> Evidence | None:
        """Evidence that a guard behind an op gives: its author expects the pole to be met.

        Of a bare value only a floor under its logarithm says so: what follows a root may be there for other reasons.
        """
        if reach not in (POSSIBLE, UNKNOWN) or not self.gradient.flows(node):
            return None
        guard = late_guard(node, pole, self.evaluator.value)
        if guard is None or (reach is not POSSIBLE and not pole.gives.startswith("-")):
            return None
        return Evidence(
            "can be 0: the code guards the result against exactly that, but too late", node, origin=Origin.OWN_TEST
        )

    def reach_with_gradient(self, hazard: Hazard) -> Reach:
        """How far a pole of the derivative is felt: not where the op below lets no gradient through.

        A rectifier or bound whose backward pass *selects* (as against multiplies by 0) drops the inf of the op above.
        """
        source, pole = bare(felt(hazard)), hazard.pole
        within = walk(source, lambda n: map(bare, n.args.values()) if n.op in ALL_ZERO else (), MAX_USES)
        parts = [one for one in within if one.op not in ALL_ZERO and one.op != CONST]
        if parts and all(one.op == "relu" for one in parts):
            source = parts[0]
        if self.gradient.owner(hazard.node) not in SELECTS_BACKWARD.get(source.op, ()):
            return CERTAIN
        if source.op == "relu":
            return NEVER
        if pole.shift:
            # the numbers next to ±1 are few: what is clamped to it is often on it
            return CERTAIN
        bounded = [self.evaluator.value(a) for name, a in source.args.items() if name in ("x", "a", "b")]
        exactly = max((v.zero for v in bounded if v.constant is None), default=UNKNOWN)
        # what lies beyond the bound gets no gradient; what lies on it, as equal points do, an infinite one
        return CERTAIN if exactly >= LIKELY else LIKELY

    def scalar(self, node: Node, operand: Value) -> bool:
        """Whether the op works on Python numbers, where Python raises instead of making a NaN."""
        if self.gradient.framework(node) == "math":
            return True
        if node.spelling is not None and node.spelling.framework not in ("math", "builtins"):
            # a function of arrays makes one of any number, and raises for none
            return False
        kinds = {self.evaluator.value(a).kind for name, a in node.args.items() if name not in NOT_DATA}
        return operand.kind is Kind.SCALAR and kinds == {Kind.SCALAR}

    # ── selections ──────────────────────────────────────────────────────────────────────────────────────────────────

    def masked_by(self, node: Node, pole: Pole) -> Node | None:
        """The selection behind which the node's bad values are dropped, if all of its uses lead through one."""
        guard: Node | None = None
        #: with each node whether its elements are still the op's, one by one
        pending: list[tuple[Node, int, bool]] = [(node, 0, True)]
        seen = {node.index}
        while pending:
            current, steps, apart = pending.pop()
            demand = self.gradient.demand
            users = [u for u in current.users if ends_at(u, current) is None and demand.ways(u) - {WAITS}]
            if not users or steps > MAX_STEPS:
                return None
            for user in users:
                if self.drops(user, current, node, pole, apart):
                    guard = user
                    continue
                one_by_one = elementwise(user) or user.op in (PHI, REFINE, LOOP, "stored")
                op = OPS.get(user.op)
                if not one_by_one and not (user.op == CALL and "x" not in user.args) and not (op and op.reduction):
                    return None
                if user.index not in seen:
                    seen.add(user.index)
                    pending.append((user, steps + 1, apart and one_by_one))
        return guard

    def happens(self, node: Node) -> bool:
        """Whether the program itself, as it is written, computes a node and takes its result."""
        return bool(self.taken_up(node)) and not any(region.kind == "not_taken" for region in node.regions)

    def drops(self, user: Node, used: Node, node: Node, pole: Pole, apart: bool) -> bool:
        """Whether a use of what an op gives takes none of its bad values.

        Where elements are not ``apart``, because something was made of all of them together, only a test of that helps.
        """
        if user.op == "nan_to_num" or (user.op in SKIP_NAN and zero_together(node)):
            return True
        if as_large(used) is bare(node) and leaves_finite(user, node, pole, self.evaluator.value):
            return not self.gradient.flows(node)
        if user.op in ("where", PHI) and "cond" in user.args:
            branch = user.get("a") is used
            if tests_result(user["cond"]) or (apart and self.excludes(user["cond"], branch, node, pole)):
                return True
            said = self.of_infinity(user["cond"], used, node, pole)
            if apart and said is not None and said is not branch:
                return True
        index = user.get("index") if user.op == "part" else None
        if index is not None and index is not used:
            if keeps_finite(index) or (tells_diagonal(index) and holds_each_pair(node)):
                return True
            cond = taken_by(index)
            return cond is not None and apart and self.excludes(cond, True, node, pole)
        return apart and user.op == "stored" and user["a"] is used and self.by_place(node, pole)

    def product_replaced(self, node: Node, pole: Pole, operand: Node) -> bool:
        """Whether something else is taken for the products of an op, where it is at a pole and the factor is 0."""
        found = list(products(node))
        pairs = ((product, ((other, 0.0), (operand, -pole.shift))) for product, other in found)
        return bool(found) and all(self.replaced_where(product, numbers) for product, numbers in pairs)

    def replaced_where(self, result: Node, numbers: Iterable[tuple[Node, float]]) -> bool:
        """Whether all uses of a result lead to selections that take something else where nodes are these numbers."""

        def passes(user: Node, used: Node) -> bool:
            return elementwise(user) and user.op not in ("where", *CONDITIONS)

        found = list(uses(result, passes, MAX_USES))
        there = where_each_is(numbers, self.evaluator.value)
        for user in found:
            taken = there.truth(user["cond"]) if user.op == "where" and "cond" in user.args else None
            if taken is None or depends(user["a" if taken else "b"], result):
                return False
        return bool(found)

    def by_place(self, node: Node, pole: Pole) -> bool:
        """Whether the operand is at the pole at one place of a grid: then setting that element is the repair."""
        found = self.operand(node, pole, self.evaluator)
        evidence = found[1].evidence(pole.cls) if found is not None else None
        if evidence is not None and evidence.node is not None and evidence.node.op in GRIDS:
            return True
        return holds_each_pair(node)

    def excludes(self, cond: Node, branch: bool, node: Node, pole: Pole) -> bool:
        """Whether the pole is not reached where ``cond`` is ``branch``."""
        if self.equals_infinity(cond, node) or (tells_diagonal(cond) and holds_each_pair(node)):
            return True
        anywhere = self.operand(node, pole, self.evaluator)
        for evaluator in (self.evaluator, self.as_set) if on_settings(cond) else (self.evaluator,):
            selected = evaluator.under(cond, branch)
            found = self.operand(node, pole, selected) if selected is not evaluator else None
            if found is None or anywhere is None:
                return False
            # less than without the condition: one that has nothing to do with the operand guards nothing
            if found[1].reach(pole.cls) < min(anywhere[1].reach(pole.cls), POSSIBLE):
                return True
        return False

    def of_infinity(self, cond: Node, used: Node, node: Node, pole: Pole) -> bool | None:
        """What a comparison with a number says of the infinity that an op gives at a pole; None of others."""
        if cond.op not in ("gt", "ge", "lt", "le") or pole.gives not in ("inf", "inf or nan"):
            return None
        a, b, mine = bare(cond["a"]).key, bare(cond["b"]).key, bare(used).key
        never_nan = node.op == "div" and self.evaluator.value(node["a"]).zero is NEVER
        if mine not in (a, b) or self.evaluator.value(cond["b" if mine == a else "a"]).constant is None:
            return None
        # nan is neither above nor below a number
        larger = cond.op in ("gt", "ge") if mine == a else cond.op in ("lt", "le")
        return larger if pole.gives == "inf" or never_nan or not larger else None

    def equals_infinity(self, cond: Node, result: Node) -> bool:
        """Whether a condition is x == inf, which asks of a result what isinf does."""
        if cond.op not in ("eq", "ne"):
            return False
        infinite = [self.evaluator.value(cond[k]).constant in (INF, -INF) for k in ("a", "b")]
        return any(infinite) and any(depends(cond[k], result) for k in ("a", "b"))

    def traps_behind(self, selection: Node) -> Iterator[Hazard]:
        """Poles that the condition of a selection keeps out of the value, but not out of the gradient.

        The author's own test is the evidence that the pole is reached.
        """
        if "cond" not in selection.args or not self.gradient.flows(selection):
            return
        cond = selection["cond"]
        for operand, branch in (("a", True), ("b", False)):
            inside = self.evaluator.under(cond, branch)
            outside = self.evaluator.under(cond, not branch, tested=True)
            if outside is self.evaluator or self.no_news(selection["b" if branch else "a"]):
                continue
            for node in self.upstream(selection[operand]):
                if self.deliberate(node) or not self.gradient.flows(node) or selected_by(cond, node):
                    continue
                if self.ends_behind(selection, node):
                    continue
                for pole in self.poles(node, outside):
                    met = self.operand(node, pole, outside)
                    kept = self.operand(node, pole, inside)
                    if (
                        met is None
                        or kept is None
                        or min(self.also(node, pole, outside), default=LIKELY) < LIKELY
                        or met[1].reach(pole.cls) < LIKELY
                        or kept[1].reach(pole.cls) >= POSSIBLE
                    ):
                        continue
                    if harmless_behind_selection(node, pole) or self.scalar(node, met[1]):
                        continue
                    made = Maker(met[1].reach(pole.cls), evidence_of(met[1], pole, met[0]))
                    trap = Hazard(node, pole, met[0], met[1], made, {Seen.HIDDEN: selection})
                    judged = self.gradient.judge(node)
                    yield replace(trap, sink=self.sink(trap)).but(
                        self.unlearned(node, tested=True) and Seen.UNLEARNED,
                        self.keeps_zero_gradient(node) and Seen.ZERO_STAYS,
                        (judged.flow is not Flow.SHOWN or judged.named) and Seen.BELIEVED,
                    )

    def ends_behind(self, selection: Node, node: Node) -> bool:
        """Whether nothing learned gets the gradient of a node where a selection drops its value.

        The same condition chose what it is made of, and nothing is learned of the rest.
        """
        made_of = walk(selection["a"], lambda n: n.args.values() if n.op == REFINE or elementwise(n) else (), MAX_STEPS)
        left = "b" if any(n is node for n in made_of) else "a"
        operands = [bare(n) for n in node.args.values()]
        chosen = [n for n in operands if n.op == "where" and n["cond"].key == selection["cond"].key]
        if not chosen:
            return False
        there = [n[left] if n in chosen else n for n in operands]
        return not any(self.gradient.learns(n, believed=True) for n in there)

    def keeps_zero_gradient(self, node: Node) -> bool:
        """Whether a gradient of 0, as a selection hands back, stays 0 in a derivative: not where XLA may compile it."""
        owner = self.gradient.owner(node)
        compiled = "keras" in self.lowering.frameworks or any(region.kind == "xla" for region in node.regions)
        return node.op in KEEPS_ZERO_GRADIENT.get(owner or "", ()) and not compiled

    def traps_of(self, node: Node) -> Iterator[Hazard]:
        """The hazards of one op that selections further on make."""
        selections = [n for n in self.lowering.graph if n.op == "where" and n.index > node.index]
        return (trap for selection in selections for trap in self.traps_behind(selection) if trap.node is node)

    def behind_mask(self, result: Node, *, infinite: bool) -> Iterator[Node]:
        """Ops behind a result of which the author asks whether it is NaN (or ``infinite``), and which can make it so.

        That is evidence enough: their operands are only not known to be elsewhere than at a pole.
        """
        for node in self.upstream(result):
            if not self.gradient.flows(node) or self.deliberate(node):
                continue
            for pole in self.poles(node, self.evaluator):
                found = None if pole.gradient or pole.operand == "result" else self.operand(node, pole, self.evaluator)
                if found is None or found[1].kind is Kind.SCALAR or found[1].reach(pole.cls) is NEVER:
                    continue
                if node is bare(result) and not infinite and "nan" not in pole.gives:
                    continue
                if any(cls in ("ninf", "pinf") for _, cls in pole.also):
                    # what made the infinity comes further back
                    continue
                if pole.cls in ("ninf", "pinf") and (
                    bare(found[0]).op == "where" or found[1].reach(pole.cls) < POSSIBLE
                ):
                    # a row that is masked out as a whole: no gradient comes through the mask
                    continue
                if pole.cls == "zero" and found[1].zero < POSSIBLE and has_epsilon(found[0], self.evaluator.value):
                    # who adds an epsilon has numbers that are not below 0
                    continue
                if NEVER not in self.also(node, pole, self.evaluator) and not harmless_behind_selection(node, pole):
                    yield node
                    break

    def no_news(self, other: Node) -> bool:
        """Whether the other branch is nan or +inf itself: what comes of its gradient is as it must be.

        -inf is how a mask is written in log space, and gone after the next exp.
        """
        v = self.evaluator.value(other)
        return v.nan is CERTAIN or (v.constant == INF and v.pinf is CERTAIN)

    def undefined_elsewhere(self, selection: Node) -> bool:
        """Whether a selection gives nan or +inf on purpose where it does not give what it guards."""
        return any(self.no_news(selection[k]) for k in ("a", "b") if k in selection.args)

    def upstream(self, root: Node) -> Iterator[Node]:
        """Pointwise ops behind a branch of a selection."""

        def behind(n: Node) -> list[Node]:
            op = OPS.get(n.op)
            gathers = op is not None and (op.pointwise or op.view or op.reduction or n.op == "dot")
            follows = n.op in (REFINE, TUPLE, PHI) or (gathers and n.op != "where")
            if not follows or (op is not None and op.stops_gradient):
                return []
            return [a for name, a in n.args.items() if name not in NOT_DATA and a.op != CONST]

        return (n for n in walk(root, behind, MAX_BEHIND) if n.op in OPS and not OPS[n.op].stops_gradient)


def surest(scenarios: Iterable[tuple[Met, Evidence]]) -> tuple[Row, Evidence] | None:
    """The row of the first scenario that is surest, which no other is looked for behind one that is likely."""
    best: tuple[Row, Evidence] | None = None
    for how, evidence in scenarios:
        row = row_of(Seen[how.name])
        if best is None or row.least > best[0].least:
            best = row, evidence
        if row.least >= LIKELY:
            break
    return best


def of_unknown(node: Node) -> bool:
    """Whether a node is made of more than what is written out."""
    return any(n.op in UNKNOWNS for n in walk(node, lambda n: n.args.values(), 60))


def felt(hazard: Hazard) -> Node:
    """What the slope of an op is handed on to."""
    source_is_result = hazard.operand is hazard.node and "x" in hazard.node.args
    return hazard.node["x"] if source_is_result else hazard.operand


@asked_once
def on_settings(cond: Node) -> bool:
    """Whether a condition is on a setting, so that it does not say the same whatever settings are."""
    return any(n.op == PARAM and "default" in n.args for n in walk(cond, lambda n: n.args.values(), MAX_BEHIND))


def chosen_once(mask: Node | None) -> bool:
    """Whether what may be empty is what a condition selects, and not what there is of each of a number of kinds.

    In NumPy no batch after batch goes by, of which one has nothing to select: who writes a condition has seen the data.
    """
    if mask is None or mask.op not in SELECTED:
        return mask is None
    return mask.op != "eq" or not any(bare(mask[k]).op == "arange" for k in ("a", "b"))


def has_epsilon(operand: Node, value: Evaluate) -> bool:
    """Whether an epsilon is among the terms of a number."""
    sums = walk(bare(operand), lambda n: [bare(n["a"]), bare(n["b"])] if n.op == "add" else (), 20)
    return any(
        small(term, value) and value(term).zero is NEVER for n in sums if n.op == "add" for term in n.args.values()
    )


def selected_by(cond: Node, node: Node) -> bool:
    """Whether a node works on the elements alone that a mask takes out: y[m] = f(x[m])."""
    made_of = walk(node, lambda n: n.args.values() if n.op == REFINE or elementwise(n) else (), 60)
    return any(n.op == "part" and "index" in n.args and n["index"].key == cond.key for n in made_of)


def evidence_of(v: Value, pole: Pole, operand: Node) -> Evidence:
    """Why the pole is reached, at the operand itself where nothing further back tells."""
    return v.evidence(pole.cls) or Evidence(
        REACHES.get(pole.cls, "is not ruled out here"), operand, origin=Origin.ATTAINED
    )


#: what a class without further evidence says
REACHES = {"zero": "is 0 here", "neg": "is negative here", "pinf": "overflows"}


def harmless_behind_selection(node: Node, pole: Pole) -> bool:
    """Poles whose derivative stays finite: 0 times 1/x is 0 for the logarithm of a negative number."""
    return node.op in ("log", "log1p") and pole.cls == "neg"
