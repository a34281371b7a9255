"""The one table in which a name counts as evidence, and then only where nothing else is known.

A name is split at underscores and case changes; a word that says "logarithm of" or "count of" takes it out of the
table.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from nanlint.ops.floats import FLOAT32
from nanlint.ops.value import INF, LIKELY, NEVER, UNKNOWN, Evidence, Kind, Origin, Value, value

#: a probability as a model gives it: exactly 0 and exactly 1 in floating point
PROBABILITY = frozenset({"prob", "probs", "proba", "probas", "probability", "probabilities", "softmax"})
PAIRS = frozenset({("y", "pred"), ("y", "prob"), ("pred", "prob"), ("y", "conv")})
#: what turns a probability into something else
NOT_A_PROBABILITY = frozenset(
    {
        "log",
        "logs",
        "logit",
        "logits",
        "fn",
        "func",
        "function",
        "dist",
        "net",
        "layer",
        "drop",
        "dropout",
        "num",
        "keep",
        "min",
        "max",
        "eps",
        "loss",
        "weights",
        "idx",
        "size",
    }
)
#: functions and classes whose values are trained on, or reported as such
LOSS = frozenset(
    {
        "loss",
        "losses",
        "nll",
        "entropy",
        "crossentropy",
        "ce",
        "kl",
        "kld",
        "divergence",
        "likelihood",
        "objective",
        "penalty",
        "policy",
        "perplexity",
        "criterion",
        "elbo",
    }
)
#: what a function or class is for, by a word of its name, where nothing is differentiated as a rule
UNTRAINED = {
    **dict.fromkeys(("metric", "metrics", "evaluate", "evaluation", "evaluator", "eval", "accuracy"), "measures"),
    **dict.fromkeys(("optimizer", "optimizers", "optim", "optax"), "takes an optimizer step"),
    **dict.fromkeys(("predict", "predictions", "postprocess", "nms"), "predicts"),
    **dict.fromkeys(("psnr", "validate", "validation"), "measures"),
    **dict.fromkeys(("sampler", "samplers", "mcmc", "hmc", "nuts", "adaptation"), "draws samples"),
    **dict.fromkeys(("solver", "solvers", "integrator"), "solves"),
    **dict.fromkeys(("evolution", "evolutionary", "genetic", "cmaes", "swarm"), "optimizes without derivatives"),
    **dict.fromkeys(("dataset", "datasets", "dataloader", "preprocess", "preprocessing"), "prepares data"),
    **dict.fromkeys(("augment", "augmentation", "augmentations"), "prepares data"),
    **dict.fromkeys(("assign", "assigner", "matcher"), "assigns targets"),
    **dict.fromkeys(("plot", "visualize", "diagnostic", "diagnostics", "summary", "callback"), "reports"),
    **dict.fromkeys(("stats", "statistics"), "keeps statistics"),
    **dict.fromkeys(("initialize", "initializer"), "sets initial values"),
}
MASK = frozenset({"mask", "masks"})
#: what lets each position see itself and those before
CAUSAL = frozenset({"causal", "triangular", "autoregressive", "subsequent", "tril", "triu"})
#: how something is set up
CONFIGURATION = frozenset({"config", "cfg", "options", "hparams"})
#: what gradients are with respect to nothing: data, and gradients themselves
WITHOUT_GRADIENT = frozenset(
    {"label", "labels", "target", "targets", "grad", "grads", "gradient", "gradients", "updates", "window"}
    # what a loader gives, and where a camera looks
    | {"batch", "image", "images", "img", "imgs", "wav", "waveform", "audio", "rois", "dirs", "viewdirs", "directions"}
    | {"rays", "camera", "cameras", "intrinsics", "extrinsics"}
    | CONFIGURATION
    # the step of a solver
    | {"stepsize", "dt"}
    # what selects, counts and numbers
    | {*MASK, "count", "counts", "length", "lengths", "id", "ids", "idx", "index", "indices"}
)
PAIRS_WITHOUT_GRADIENT = frozenset(
    {("y", "true"), ("step", "size"), ("learning", "rate"), ("batch", "dict"), ("batch", "data")}
)
#: what a model is to predict, as data has it; and what else its name may say
TARGET = frozenset({"label", "labels", "target", "targets", "true", "truth", "gt", "gts"})
OF_TARGETS = TARGET | {
    *("y", "ground", "box", "boxes", "bbox", "bboxes", "wh", "xywh", "batch", "value", "values", "data"),
}
#: what there is one of for each step of an episode, of which a batch may hold one
OF_STEPS = frozenset({"adv", "advs", "advantage", "advantages", "return", "returns", "reward", "rewards"})
EPSILON = frozenset({"eps", "epsilon", "tiny"})
#: what an epsilon of another kind is: of privacy, of exploration, of an approximation
OTHER_EPSILON = frozenset({"error", "greedy", "decay", "start", "end", "budget", "privacy"})
#: parameters of distributions that are positive by contract
POSITIVE = frozenset(
    {"scale", "sigma", "stddev", "std", "concentration", "rate", "temperature", "variance", "bandwidth"}
)
SIGNED = frozenset({"log", "raw", "pre", "logit", "unconstrained", "zero", "max", "min", "diff", "growth", "learning"})
LOG_PROBABILITY = frozenset({"logprob", "logprobs", "logp", "logps", "loglik", "loglikelihood"})
ODDS = frozenset({*PROBABILITY, "p", "ps", "likelihood", "likelihoods", "pdf", "pmf", "cdf"})
#: what is kept as its logarithm because it is positive: nothing says how large that is
LOGARITHM = frozenset(
    {"logvar", "logvars", "logstd", "logstds", "logsigma", "logsigma2", "logscale", "logit", "logits"}
)
KEPT_AS_LOGARITHM = frozenset(
    {
        *{
            "var",
            "vars",
            "variance",
            "variances",
            "std",
            "stds",
            "stddev",
            "sd",
            "sigma",
            "sigmas",
            "sigma2",
            "sigmasq",
        },
        *{"scale", "scales", "precision", "rate", "rates", "lambda", "intensity", "concentration", "temperature", "s"},
    }
)
#: what is infinite at an end of its domain, and means it
INFINITE_AT_ENDS = frozenset({"logit", "logits", "icdf", "ppf", "isf", "quantile", "decibel", "db", "psnr", "snr"})
#: what a network gives before anything squashes it: as large as training makes it
LOGITS = frozenset({"logit", "logits", "score", "scores", "pred", "preds", "prediction", "predictions"})
#: what says "logarithm of" in a name, and what is a product over many: its logarithm is a sum, and grows
PLAIN_LOGARITHM = frozenset({"log", "ln"})
OF_MANY = frozenset({"ratio", "ratios", "w", "weight", "weights", "joint", "density", "evidence", "partition", "det"})
#: places along an axis, in order: no two of them are equal
COORDINATES = frozenset(
    {"time", "times", "timestamp", "timestamps", "timestep", "timesteps", "ts", "freqs", "frequencies", "edges", "bins"}
    | {"grid", "knots", "cuts", "breakpoints", "quantiles", "percentiles", "thresholds", "levels"}
)
EXTENT = frozenset({"shape", "ndim"})
#: what a training step is given
BATCH = TARGET | {"batch", "input", "inputs", "sample", "samples", "sources"}
#: what is trained, all together
TRAINED = frozenset({"params", "parameters", "theta", "coef", "coefs", "coefficients"})
#: what is learned, has a length or can be inverted: no row of it is 0 throughout
NEVER_ZERO = frozenset(
    {"embedding", "embeddings", "emb", "embs", "embed", "embeds", "weight", "weights", "kernel", "kernels", "w"}
    | {"transform", "transforms", "rotation", "rotations", "rot", "pose", "poses", "matrix", "camera", "cameras"}
    | {"direction", "directions", "dir", "dirs", "ray", "rays", "normal", "normals"}
    | {"quaternion", "quaternions", "quat", "quats"}
)


@lru_cache(maxsize=4096)
def words(name: str) -> tuple[str, ...]:
    """The words of an identifier, lower-case."""
    found: list[str] = []
    for part in name.split("_"):
        start = 0
        for i in range(1, len(part)):
            ends_acronym = part[i - 1].isupper() and part[i + 1 : i + 2].islower()
            if part[i].isupper() and (ends_acronym or not part[i - 1].isupper()):
                found.append(part[start:i].lower())
                start = i
        if part[start:]:
            found.append(part[start:].lower())
    return tuple(found)


def says(name: str, table: frozenset[str]) -> bool:
    return not table.isdisjoint(words(name))


def without_gradient(name: str) -> bool:
    """Whether a name says that nothing is differentiated with respect to it."""
    parts = words(name)
    last = parts[-1].rstrip("0123456789") if parts else ""
    return "gt" in parts or last in WITHOUT_GRADIENT or parts[-2:] in PAIRS_WITHOUT_GRADIENT


def trained(name: str) -> bool:
    """Whether a function or class says by its name that its values are trained on."""
    return says(name, LOSS)


def tells_training(name: str) -> bool:
    """Whether a name asks if a model is being trained."""
    told = (("training",), ("is", "training"), ("train",), ("is", "train"), ("is", "grad", "enabled"))
    return words(name.rpartition(".")[2]) in told


def untrained(name: str) -> str | None:
    """What a function or class does by its name, if nothing is differentiated in what does so."""
    parts = words(name)
    if trained(name) or "learning" in parts:
        return None
    purpose = next((UNTRAINED[part] for part in parts if part in UNTRAINED), None)
    return purpose or ("predicts" if ("post", "process") in pairwise(parts) else None)


def is_epsilon(name: str) -> bool:
    """Whether a name says that a small positive number is meant; of several, each has a number of its own."""
    parts = words(name.rstrip("0123456789_"))
    named = bool(parts) and (parts[-1] in EPSILON or parts[0] in EPSILON)
    return named and not OTHER_EPSILON & set(parts)


def is_log_probability(name: str) -> bool:
    """Whether a name says that a value is the logarithm of a probability or a density: no large number."""
    parts = words(name)
    return bool(LOG_PROBABILITY & set(parts)) or any(a == "log" and b in ODDS for a, b in pairwise(parts))


def is_logarithm(name: str) -> bool:
    """Whether a name says that a scale is kept as its logarithm, or that something is a logit: any real number."""
    parts = words(name)
    after = {part for one, part in pairwise(parts) if one == "log"}
    return bool(LOGARITHM & set(parts) or KEPT_AS_LOGARITHM & after)


def is_logit(name: str) -> bool:
    """Whether a name says that a value is a network's, and nothing has squashed it yet."""
    parts = set(words(name))
    return bool(LOGITS & parts) and not {"log", *PROBABILITY} & parts


def is_infinite_at_ends(name: str) -> bool:
    """Whether a function is named after what is infinite at an end of its domain: a log-probability, a quantile."""
    return says(name, INFINITE_AT_ENDS) or is_log_probability(name)


def is_probability(name: str) -> bool:
    """Whether a name says that numbers are the probabilities of something: together they are 1."""
    return says(name, PROBABILITY) and not says(name, NOT_A_PROBABILITY)


def is_coordinate(name: str) -> bool:
    """Whether a name says that numbers are places along an axis, such as times: each is beyond the one before."""
    parts = words(name)
    return bool(parts) and parts[-1] in COORDINATES


def is_trained(name: str) -> bool:
    """Whether a name says that a record holds what is trained."""
    return bool(TRAINED.intersection(words(name)[-1:]))


def is_target(name: str) -> bool:
    """Whether a name is that of what a model is to predict, as against its size or number."""
    return says(name, TARGET) and OF_TARGETS.issuperset(words(name))


def is_plain_logarithm(name: str) -> bool:
    """Whether a name says that a value is the logarithm of a number that is computed itself, and so is not large.

    Not so of what is a product of many (a likelihood, a weight), and of what a network gives as a logarithm.
    """
    parts = words(name)
    written = bool(PLAIN_LOGARITHM & set(parts))
    return written and not (is_logarithm(name) or is_log_probability(name) or OF_MANY & set(parts))


@lru_cache(maxsize=4096)
def named(name: str) -> Value | None:
    """What a name alone suggests of its value, if it is in the table."""
    parts = words(name)
    if not parts:
        return None
    if is_epsilon(name):
        return value(1e-12, INF, zero=NEVER, kind=Kind.SCALAR)
    if parts[-1] in POSITIVE and not SIGNED & set(parts):
        return value(FLOAT32.tiny, INF, zero=NEVER)
    if parts[-1] in EXTENT:
        return value(0.0, INF, kind=Kind.SCALAR, whole=True)
    if NOT_A_PROBABILITY & set(parts):
        return None
    if PROBABILITY & set(parts) or any(pair == parts[i : i + 2] for pair in PAIRS for i in range(len(parts))):
        note = Evidence(
            f"`{name}` is named like a probability: exactly 0 or 1 when the model saturates",
            named=True,
            origin=Origin.SATURATION,
        )
        return value(
            0.0, 1.0, low=LIKELY, high=LIKELY, pinf=NEVER, ninf=NEVER, nan=UNKNOWN, because={"low": note, "high": note}
        )
    if MASK & set(parts):
        note = Evidence(f"`{name}` is named like a mask: it may select nothing", named=True, origin=Origin.EMPTY)
        return value(0.0, 1.0, low=LIKELY, high=LIKELY, whole=True, because={"low": note, "high": note})
    return None
