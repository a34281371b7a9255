"""NL304 and NL305: means of nothing, deviations of one."""

from __future__ import annotations

import ast

from nanlint.analysis.names import OF_STEPS, says
from nanlint.analysis.structure import bare, elementwise
from nanlint.diagnostic import Applicability
from nanlint.fixes.mean_of_selection import DeviationOfSeveral, SumIfEmpty
from nanlint.graph.node import LOOP, PHI, REFINE, TUPLE, Node, walk
from nanlint.hazards.facts import Facts
from nanlint.hazards.record import Seen, form
from nanlint.ops.frameworks.training import PLAIN
from nanlint.ops.op import Pole
from nanlint.ops.selection import COMPARISONS
from nanlint.rules.registry import Finding, Findings, rule

#: the label that PyTorch's losses leave out where nothing else is said
IGNORED = -100.0
#: ways from a deviation back to what its elements are gathered in
GATHERED = frozenset({"tensor", "concat", REFINE, "cast", LOOP})
NAN = Pole("result", "nan", "nan")


@rule(
    "NL304",
    "empty-mean",
    nodes="mean cross_entropy nll squared_error absolute_error bce bce_with_logits",
    fixable=Applicability.SAFE,
)
def empty_mean(mean: Node, facts: Facts) -> Findings:
    if mean.op != "mean":
        return (yield from all_ignored(mean, facts))
    if has_no_elements(mean["x"], mean.site):
        yield Finding(mean, "mean of no elements: nan", "the mean of no elements is 0 / 0 = nan", form())
        return
    selection = facts.selection_behind(mean["x"])
    if selection is None or facts.known_filled(selection):
        return "no selection that may be empty"
    # a scalar is a loss or a part of one; means along an axis are features, of which some are not used
    scalar = mean.get("axis") is None and not facts.doubted(mean) and facts.framework(mean) not in PLAIN
    plain = not scalar or chosen_in_python(selection)
    yield Finding(
        mean,
        "mean of a selection that may be empty",
        "the mean of no elements is 0 / 0 = nan",
        form(Seen.MAY_BE_EMPTY, plain and Seen.NO_LOSS, facts.tested_for_infinity(mean) and Seen.TESTED),
        ((selection, "may select nothing"),),
        SumIfEmpty(mean) if bare(mean["x"]).op != "list" else None,
    )


def one_of_many(deviation: Node, facts: Facts) -> str:
    """Why what a deviation is taken over may have one element; "" where nothing says so."""
    if facts.framework(deviation) in PLAIN or not any(user.op in ("add", "div", "clamp") for user in deviation.users):
        return ""
    axis = deviation.get("axis")
    held = list(walk(deviation["x"], lambda n: [n[k] for k in ("x", "back") if k in n.args and n.op in GATHERED], 20))
    if axis is None and any(n.op == "list" and "last" in n.args for n in held):
        return "is collected in a loop: after one iteration it has one element"
    source = held[-1]
    if axis is None and says(str(source.attrs.get("variable") or source.name), OF_STEPS):
        return "has one element per step: an episode or a last batch may have only one"
    batch = axis is not None and facts.value(axis).constant == 0 and facts.trained(deviation)
    return "is a batch: the last batch of an epoch may have only one element" if batch else ""


def all_ignored(loss: Node, facts: Facts) -> Findings:
    """A mean over the labels that are not left out, of which there may be none."""
    given = loss.get("ignore")
    if facts.framework(loss) != "torch" or written(loss, "reduction") not in ("", "'mean'"):
        return "no mean"
    chosen = facts.selection_behind(loss["x"])
    if chosen is not None and not facts.known_filled(chosen) and not chosen_in_python(chosen):
        seen = facts.doubted(loss) and Seen.NO_LOSS, facts.tested_for_infinity(loss) and Seen.TESTED
        effect = "the mean of no elements is 0 / 0 = nan"
        why = ((chosen, "may select nothing"),)
        yield Finding(
            loss,
            "mean loss of a selection that may be empty: nan",
            effect,
            form(Seen.MAY_BE_EMPTY, *seen),
            why,
        )
        return
    ignored = facts.value(given).constant if given is not None else IGNORED
    put = ignored_by(loss["target"], ignored, facts) if ignored is not None and "target" in loss.args else None
    if loss.op not in ("cross_entropy", "nll") or (given is None and put is None):
        return "no evidence that labels are ignored"
    labels = facts.value(loss["target"]) if "target" in loss.args else None
    if ignored is None and labels is not None and labels.lo >= 0:
        return "the labels are places, not data"
    if ignored is not None and labels is not None:
        if not labels.lo <= ignored <= labels.hi:
            return "no label is the one that is ignored"
        if asked_for(loss["target"], ignored, facts):
            return "the code checks the ignored labels"
    if facts.tested_for_infinity(loss) or facts.hazards.masked_by(loss, NAN) is not None:
        return "the code checks or replaces the mean"
    padding = put is None and (ignored == 0 or "pad" in written(loss, "ignore_index"))
    # of several that share one setting, some may have labels that are never left out
    shared = put is None and given is not None and len({user.site for user in given.users if user.op == loss.op}) > 1
    no_loss = padding or facts.doubted(loss)
    judged = form(Seen.MAY_BE_EMPTY, no_loss and Seen.NO_LOSS, shared and Seen.UNSURE)
    cause = (
        (put, "is ignored by the loss") if put is not None else (given or loss, "labels with this value are ignored")
    )
    effect = "0 / 0 = nan if every label is ignored"
    yield Finding(loss, "cross-entropy of labels that may all be ignored: nan", effect, judged, (cause,))


def ignored_by(labels: Node, ignored: float, facts: Facts) -> Node | None:
    """Where labels are set to the number that is left out, or hold it, as they are written out."""

    def before(n: Node) -> list[Node]:
        kept = n.op in ("where", "stored", "list", "append", "tensor", TUPLE, PHI, REFINE, LOOP) or elementwise(n)
        return [a for name, a in n.args.items() if name not in ("cond", "index", "by")] if kept else []

    found = (n for n in walk(labels, before, 60) if n is not labels and facts.value(n).constant == ignored)
    return next(found, None)


def asked_for(labels: Node, ignored: float, facts: Facts) -> bool:
    """Whether anything compares the labels with the number that is left out."""
    made_of = walk(labels, lambda n: n.args.values() if n.op == REFINE or elementwise(n) else (), 20)
    users = (user for n in made_of for one in walk(n, views_of, 20) for user in one.users)
    asked = (u for u in users if u.op in COMPARISONS)
    return any(facts.value(u[k]).constant == ignored for u in asked for k in ("a", "b"))


def views_of(node: Node) -> list[Node]:
    """What holds the elements of a node in another arrangement, or some of them."""
    return [u for u in node.users if u.op in ("view", "part", "cast", REFINE)]


def written(loss: Node, keyword: str) -> str:
    """How an argument of a loss, or of the layer that it is, is written."""
    layer = loss.get("layer")
    call = layer.site if layer is not None else loss.site
    keywords = call.keywords if isinstance(call, ast.Call) else []
    return next((ast.unparse(k.value).lower() for k in keywords if k.arg == keyword), "")


def chosen_in_python(selection: Node) -> bool:
    """Whether a condition of Python's chose numbers one by one: of a loss that is not differentiated."""
    return "index" not in selection.args


def has_no_elements(array: Node, site: ast.AST | None) -> bool:
    """Whether an array is written out as an empty list, there or where it is made an array."""
    inner = bare(array)
    while inner.op == "tensor" and "x" in inner.args:
        inner, site = bare(inner["x"]), inner.site
    written = inner.site
    if site is None or not isinstance(written, ast.List | ast.Tuple) or written.elts:
        return False
    return written in ast.walk(site)


@rule(
    "NL305",
    "std-of-one",
    nodes="std var",
    fixable=Applicability.UNSAFE,
    frameworks="torch jax numpy",
)
def std_of_one(deviation: Node, facts: Facts) -> Findings:
    if has_no_elements(deviation["x"], deviation.site):
        yield Finding(
            deviation,
            f"{deviation.op} of no elements: nan",
            "there is no mean to deviate from: 0 / 0 = nan",
            form(),
        )
        return
    correction = deviation.get("ddof")
    if correction is None or facts.value(correction).constant != 1:
        return "no correction by 1"
    selection = facts.selection_behind(deviation["x"])
    if facts.has_one_element(deviation["x"], deviation.get("axis")):
        judged, cause = form(), (deviation["x"], "has one element there")
    elif selection is not None and not facts.known_filled(selection):
        harmless = (
            facts.framework(deviation) in PLAIN or facts.tested_for_infinity(deviation) or chosen_in_python(selection)
        )
        judged = form(Seen.MAY_BE_EMPTY, harmless and Seen.NO_LOSS)
        cause = (selection, "may select only one element, or none")
    elif (why := one_of_many(deviation, facts)) and not facts.asked_how_many(deviation):
        judged = form(Seen.UNSURE)
        cause = (deviation["x"], why)
    else:
        return "no evidence for a single element"
    yield Finding(
        deviation,
        f"unbiased {deviation.op} of a single element: nan",
        "0 / (n - 1) = 0 / 0 = nan for n = 1",
        judged,
        (cause,),
        DeviationOfSeveral(deviation),
    )
