"""The spelling tables, one a framework, and the canonical form of dotted names under which they are indexed."""

from __future__ import annotations

from functools import cache

from nanlint.ops import (
    activations,
    arithmetic,
    contracts,
    draws,
    functions,
    linear_algebra,
    losses,
    reductions,
    selection,
    special,
    tables,
)
from nanlint.ops.frameworks import einops, jax, keras, numpy, pandas, python, scipy, tensorflow, torch
from nanlint.ops.frameworks.tensorflow import IN_MATH as IN_MATH
from nanlint.ops.spelling import Spellings

#: dotted prefix -> the prefix the tables use, in the order in which they are tried
CANONICAL: tuple[tuple[str, str], ...] = (
    # TensorFlow: one name for TF1, TF2, the compat modules and the modules that only group
    ("tensorflow_core", "tensorflow"),
    ("tensorflow._api.v2", "tensorflow"),
    ("tensorflow.compat.v1", "tensorflow"),
    ("tensorflow.compat.v2", "tensorflow"),
    ("tensorflow.contrib.eager.python.tfe", "tensorflow"),
    ("tensorflow.experimental.numpy", "jax.numpy"),
    ("tensorflow.contrib.keras", "keras"),
    ("tensorflow.python.keras", "keras"),
    ("tensorflow.keras", "keras"),
    ("tensorflow.math", "tensorflow"),
    ("tensorflow.manip", "tensorflow"),
    ("tensorflow_probability.python.internal.assert_util", "tensorflow"),
    ("tensorflow.python.framework.ops", "tensorflow"),
    ("tensorflow.python.framework.constant_op", "tensorflow"),
    ("tensorflow.python.ops.array_ops", "tensorflow"),
    ("tensorflow.python.ops.check_ops", "tensorflow"),
    ("tensorflow.python.ops.clip_ops", "tensorflow"),
    ("tensorflow.python.ops.linalg_ops", "tensorflow.linalg"),
    ("tensorflow.python.ops.math_ops", "tensorflow"),
    ("tensorflow.python.ops.nn_impl", "tensorflow.nn"),
    ("tensorflow.python.ops.nn_ops", "tensorflow.nn"),
    ("tensorflow.python.ops.nn", "tensorflow.nn"),
    ("tensorflow.python.ops.random_ops", "tensorflow.random"),
    ("tensorflow.python.ops.special_math_ops", "tensorflow"),
    # Keras: the source tree is not the interface
    ("keras.src", "keras"),
    ("keras.api", "keras"),
    ("keras._tf_keras.keras", "keras"),
    ("keras.engine", "keras"),
    ("keras.layers.core", "keras.layers"),
    ("keras.layers.convolutional", "keras.layers"),
    ("keras.layers.advanced_activations", "keras.layers"),
    ("keras.layers.normalization", "keras.layers"),
    ("keras.layers.embeddings", "keras.layers"),
    ("keras.layers.recurrent", "keras.layers"),
    ("keras.layers.pooling", "keras.layers"),
    ("keras.ops.numpy", "keras.ops"),
    ("keras.ops.nn", "keras.ops"),
    ("keras.ops.math", "keras.ops"),
    # PyTorch
    ("torch._C._nn", "torch.nn.functional"),
    ("torch._C._special", "torch.special"),
    ("torch._C._linalg", "torch.linalg"),
    ("torch._C._VariableFunctions", "torch"),
    ("torch._C.TensorBase", "torch.Tensor"),
    ("torch._tensor", "torch"),
    ("torch.functional", "torch"),
    ("torch.autograd.variable", "torch.autograd"),
    ("torch.nn.modules.activation", "torch.nn"),
    ("torch.nn.modules.batchnorm", "torch.nn"),
    ("torch.nn.modules.conv", "torch.nn"),
    ("torch.nn.modules.dropout", "torch.nn"),
    ("torch.nn.modules.flatten", "torch.nn"),
    ("torch.nn.modules.linear", "torch.nn"),
    ("torch.nn.modules.loss", "torch.nn"),
    ("torch.nn.modules.normalization", "torch.nn"),
    ("torch.nn.modules.pooling", "torch.nn"),
    ("torch.nn.modules", "torch.nn"),
    ("torch.cuda.comm", "torch"),
    ("pyro.distributions.constraints", "torch.distributions.constraints"),
    ("numpyro.distributions.constraints", "torch.distributions.constraints"),
    ("torch_scatter.scatter", "torch_scatter"),
    ("torch_geometric.utils.scatter", "torch_geometric.utils"),
    # JAX, and the differentiable NumPys
    ("jax._src.numpy.lax_numpy", "jax.numpy"),
    ("jax._src.numpy.reductions", "jax.numpy"),
    ("jax._src.numpy.ufuncs", "jax.numpy"),
    ("jax._src.numpy", "jax.numpy"),
    ("jax._src.custom_derivatives", "jax"),
    ("jax._src.nn.functions", "jax.nn"),
    ("jax._src.lax.lax", "jax.lax"),
    ("jax._src.lax", "jax.lax"),
    ("jax._src.scipy", "jax.scipy"),
    ("jax._src.random", "jax.random"),
    ("jax._src.ops.special", "jax.scipy.special"),
    ("jax.ops.special", "jax.scipy.special"),
    ("autograd.numpy", "jax.numpy"),
    ("autograd.scipy", "jax.scipy"),
    ("optax._src.base", "optax"),
    # NumPy and SciPy
    ("numpy._core.numeric", "numpy"),
    ("numpy._core.fromnumeric", "numpy"),
    ("numpy._core.umath", "numpy"),
    ("numpy.core.numeric", "numpy"),
    ("numpy.core.fromnumeric", "numpy"),
    ("numpy.core.umath", "numpy"),
    ("numpy._core", "numpy"),
    ("numpy.core", "numpy"),
    ("numpy.linalg.linalg", "numpy.linalg"),
    ("numpy.linalg._linalg", "numpy.linalg"),
    ("numpy.random.mtrand", "numpy.random"),
    ("numpy.lib.nanfunctions", "numpy"),
    ("cupyx.scipy", "scipy"),
    ("cupy", "numpy"),
    ("scipy.misc", "scipy.special"),
    ("scipy.special._logsumexp", "scipy.special"),
    ("scipy.special._ufuncs", "scipy.special"),
)

TABLES = (
    torch.SPELLINGS,
    tensorflow.SPELLINGS,
    keras.SPELLINGS,
    jax.SPELLINGS,
    numpy.SPELLINGS,
    scipy.SPELLINGS,
    einops.SPELLINGS,
    pandas.SPELLINGS,
    python.SPELLINGS,
)

#: frameworks that compute in single precision where nothing else is said, and packages that write like one of them
#: and compute in double precision
SINGLE_PRECISION = frozenset({"torch", "tensorflow", "keras", "jax"})
DOUBLE_PRECISION = frozenset({"autograd"})
#: what switches one to double precision, in its configuration or in the environment
DOUBLE_SWITCHES = {"jax": ("jax_enable_x64", "JAX_ENABLE_X64", "enable_x64")}

#: ops that autocast of PyTorch runs in half precision, whatever they are given
AUTOCAST_TO_HALF = frozenset({"linear", "dot", "einsum"})
#: and those that it runs in single precision, on a GPU, by its own list
AUTOCAST_TO_SINGLE = frozenset(
    {
        *("acos", "asin", "cosh", "erfinv", "exp", "expm1", "log", "log10", "log2", "log1p", "reciprocal", "rsqrt"),
        *("sinh", "tan", "pow", "softplus", "norm", "cosine_similarity", "cross_entropy", "nll", "kl_div", "ctc"),
        *("squared_error", "absolute_error", "prod", "softmax", "log_softmax", "cumprod", "cumsum", "distance", "sum"),
        *("logsumexp",),
    }
)

#: the warnings that tell of errors of floating point
FLOATING_POINT_WARNINGS = frozenset({"Warning", "RuntimeWarning"})
#: settings of a decorator that have XLA compile a function
COMPILES = frozenset({"jit_compile", "experimental_compile"})
#: frameworks that have arrays of their own; a method with such a name gives one
ARRAYS = frozenset({"torch", "tensorflow", "keras", "jax", "numpy"})
#: of these, whose arrays change in place: every name of one sees it
MUTABLE = frozenset({"torch", "numpy"})
#: whose functions have an argument `where`, the elements that they compute
TAKES_WHERE = frozenset({"numpy", "scipy", "jax"})
#: the modules of the activations and losses that are given by their name alone
ACTIVATIONS, LOSSES, INITIALIZERS = "keras.activations", "keras.losses", "keras.initializers"
#: methods of a place of an array, ``x.at[i]`` in JAX, that give the array with other elements there,
#: and the op of each with what was there before
UPDATES = {
    "set": "",
    "add": "scatter_sum",
    "multiply": "mul",
    "mul": "mul",
    "divide": "div",
    "min": "minimum",
    "max": "maximum",
}
#: classes of PyTorch's whose methods take its arrays, and packages that have others by these names
MODELS = frozenset({"Module", "LightningModule"})
MODELS_OF_OTHERS = frozenset({"flax", "haiku", "equinox", "tensorflow"})
#: packages that compile functions of numbers and arrays, and know a part of Python
COMPILERS = frozenset({"numba", "triton", "taichi", "warp"})
#: whose arrays those of a package are, where they are not its own
ARRAYS_OF = {"scipy": "numpy", "math": None, "builtins": None, "": None}
#: packages whose functions give arrays of whoever made those that they are given
AGNOSTIC = frozenset({"einops", "einx"})
#: modules of a framework that files of another use, too: they load data and write logs
BESIDE = ("torch.utils.data", "torch.utils.tensorboard", "tensorflow.data", "tensorflow.summary")
#: packages whose objects have the operators of arrays: where one is imported, an unknown value may be such an object
WITH_OPERATORS = frozenset(
    {"torch", "tensorflow", "keras", "jax", "numpy", "autograd", "cupy", "dask", "pandas", "polars", "xarray", "sparse"}
    | {"linear_operator", "gpytorch", "botorch", "pykeops", "optax", "flax", "haiku", "equinox", "sympy", "pint"}
)
#: ops that give floating-point numbers of whole ones, where they take them at all; measured in
#: tests/ops/test_number_types.py, as what follows
FLOATS_OF_WHOLES = frozenset(
    {"sigmoid", "log_sigmoid", "softplus", "softmax", "log_softmax", "logsumexp", "logaddexp", "hypot", "atan2", "div"}
    | {"exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "std", "var"}
    | {"sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "norm", "erf"}
)
#: ops that a framework has for floating-point numbers alone
FLOATING_ONLY = {
    "torch": frozenset(
        {"log_sigmoid", "softplus", "softmax", "log_softmax", "logaddexp", "hypot", "std", "var", "norm", "mean"}
        | {"finfo_eps", "unit_vector", "gelu", "silu"}
    ),
    "tensorflow": frozenset(
        {"sigmoid", "log_sigmoid", "softplus", "softmax", "log_softmax", "logsumexp", "exp", "expm1", "log", "log1p"}
        | {"sin", "cos", "tanh", "sqrt"}
    ),
    "jax": frozenset({"sigmoid", "log_cdf", "finfo_eps"}),
    "keras": frozenset({"sigmoid", "log_sigmoid", "softplus", "softmax", "log_softmax", "logsumexp", "finfo_eps"}),
    "numpy": frozenset({"finfo_eps"}),
}
#: frameworks whose functions may be traced for any data, and what a text has that traces them: there no branch is taken
#: by how many elements there are
TRACERS = {
    "torch": frozenset({"torch.compile", "torch.export", "torch.fx", "torch.jit", "symbolic_trace", "make_fx", "vmap"}),
}
#: frameworks whose functions take lists of numbers as arrays
TAKES_LISTS = frozenset({"numpy", "scipy", "tensorflow", "keras"})
#: NumPy's functions that give an array without the mask of a masked one, or do not mask what they are undefined for
WITHOUT_MASKS = frozenset({"where", "log1p", "logsumexp", "softmax", "log_softmax"})
#: what a text has that makes masked arrays
MASKED_ARRAYS = frozenset({"numpy.ma", "np.ma.", "numpy import ma", "MaskedArray", "masked_array"})
#: ops that some framework does not have for complex numbers, or has with another meaning; measured there, too
REAL_ONLY = frozenset(
    {"var", "std", "norm", "hypot", "softplus", "log_sigmoid", "logaddexp", "softmax", "log_softmax"}
    | {"clamp", "maximum", "minimum"}
)
REAL_ONLY_IN = {"numpy": REAL_ONLY | {"sigmoid"}}
#: functions that give complex numbers, by the last part of their names
GIVES_COMPLEX = frozenset(
    {"fft", "fft2", "fftn", "ifft", "ifft2", "ifftn", "rfft", "rfft2", "rfftn", "complex", "polar"}
)

#: the modules that enter the ops the tables name
FAMILIES = (
    activations,
    arithmetic,
    contracts,
    draws,
    functions,
    linear_algebra,
    losses,
    reductions,
    selection,
    special,
    tables,
)


@cache
def canonical(name: str) -> str:
    """The dotted name under which the tables know ``name``: ``tensorflow.compat.v1.math.log`` is ``tensorflow.log``."""
    for prefix, known in CANONICAL:
        if name == prefix or name.startswith(prefix + "."):
            return canonical(known + name[len(prefix) :])
    return name


@cache
def load() -> Spellings:
    """All tables in one index."""
    return Spellings(TABLES)
