"""What trains, as the frameworks and those who write with them call it: derivatives, steps, models, records of them."""

from __future__ import annotations

#: calls that take derivatives of a value
BACKWARD = frozenset({".backward", ".minimize", ".compute_gradients", "tensorflow.gradients", "torch.autograd.grad"})
#: how a text has it that takes derivatives, more surely than by words of its own: NumPy's `gradient` is none
TAKES = frozenset({".backward(", "autograd.grad(", "GradientTape", "jax.grad", "import grad", "value_and_grad"}) | {
    *(".minimize(", "compute_gradients", "training_step"),
}
#: calls through which no gradient flows, by dotted name or method
UNDIFFERENTIATED = frozenset(
    {".assign", ".assign_add", ".assign_sub", ".item", ".numpy", ".tolist", ".update_state", "builtins.print"}
    | {".register_buffer"}
    | {f"builtins.{name}" for name in ("bool", "float", "format", "int", "len", "range", "repr", "round", "str")}
)
#: packages whose functions take numbers out of what is differentiated
OF_NUMBERS = frozenset({"numpy", "math"})
#: last names of calls that write down what they are given
REPORTS = frozenset({"debug", "histogram", "info", "log_dict", "log_metric", "log_metrics", "print", "scalar"}) | {
    *("add_histogram", "add_scalar", "add_scalars", "warn", "warning"),
}
#: methods that a model is run by, and those that train it
FORWARD = frozenset({"forward", "call"})
TRAINING = frozenset({"training_step", "train_step", "compute_loss"})
#: methods of what was fitted before
FITTED = frozenset({"transform", "inverse_transform", "predict"})
#: methods of distributions that are trained through
DENSITIES = frozenset({"log_prob", "rsample"})
#: last names of what takes an optimizer's step
STEPS = frozenset({"apply_updates", "apply_gradients"})
#: frameworks without automatic differentiation
PLAIN = frozenset({"numpy", "scipy", "pandas", "math", "builtins"})
OWN_NAMES = {"numpy": "NumPy", "scipy": "SciPy", "math": "Python's math", "builtins": "Python"}
#: modules of functions of arrays: what they make of constants is one
OF_ARRAYS = ("torch.signal.", "torch.fft.", "torch.linalg.", "jax.numpy.", "jax.random.", "tensorflow.signal.")
#: ops and the frameworks in which their backward pass selects; measured in tests/rules/test_claims.py
SELECTS_BACKWARD = {
    "relu": frozenset({"torch", "jax"}),
    "clamp": frozenset({"torch", "tensorflow", "keras"}),
    "maximum": frozenset({"torch", "tensorflow", "keras"}),
}
#: ops whose backward pass keeps a gradient of 0 where their slope is infinite, unless XLA compiles them; measured in
#: tests/rules/test_claims.py
KEEPS_ZERO_GRADIENT = {"tensorflow": frozenset({"sqrt", "rsqrt", "reciprocal", "norm", "std"})}
#: base classes, by the end of their name, whose methods run outside of differentiation
UNDIFFERENTIATED_BASES = ("Optimizer", "Constraint", "Metric", "Initializer", "Callback", "TestCase")
