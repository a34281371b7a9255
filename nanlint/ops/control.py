"""Control roles: what a function does with the functions and values that it is given, where that is no arithmetic.

The tables say them in the language of the ops: ``"jax.lax.scan(f, init, xs)": "fold(f=f, init=init, xs=xs)"``.
"""

from __future__ import annotations

from collections.abc import Mapping

#: role -> its operands; what a role does with them is in nanlint/frontend/control.py
CONTROL: Mapping[str, tuple[str, ...]] = {
    # gives back what it is given: a function compiled or vectorized, a copy
    "returns": ("x",),
    # calls a function: once, with each element, with each leaf of trees, with what it gave the last time
    "call": ("f", "rest"),
    "map": ("f", "x", "rest"),
    "tree_map": ("f", "x", "rest"),
    "filter": ("f", "x"),
    "fold": ("f", "init", "xs", "cond", "spread", "stacks", "counted", "reverse"),
    # calls one of several functions
    "branch": ("cond", "yes", "no", "rest", "given"),
    "switch": ("functions", "rest"),
    # makes a function of a function
    "gradient_of": ("f", "argnums", "aux"),
    # calls a function of which it takes derivatives where it is called
    "derivative": ("f", "rest", "given"),
    "partial": ("f", "rest"),
    # makes a layer, a model, a container of layers
    "sequence": ("x",),
    "model": ("output",),
    "container": ("x", "keyed"),
    # makes a container of Python
    "record_class": ("name", "fields"),
    "pairs": ("x",),
    "namespace": (),
    "parser": (),
    # derivatives: records them, takes them, works on them
    "tape": (),
    "gradient": ("target", "sources"),
    "on_gradients": (),
    # raises unless something holds
    "assume": ("cond", "comparison", "a", "b"),
    # stores into an array
    "store": ("array", "cond", "value"),
    "count_at": ("array", "index", "value"),
    # opens a region, as a context or a decorator; only where `on` is False
    "region": ("kind", "on"),
    # settles what is told of errors, in which format layers and numbers are computed from here on
    "float_errors": (),
    "warnings": (),
    "trainer": ("precision",),
    "default_format": ("policy",),
    # asks for the limits of a format, for that of new numbers
    "format_limits": ("dtype",),
    "default_dtype": (),
}
