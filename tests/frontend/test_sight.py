"""What the analysis sees through: each construct carries a hazard to its op, and carries a guard to it as well."""

from __future__ import annotations

import time

import pytest

from tests.marked import JAX, KERAS, NUMPY, TF, TORCH, check, findings, program

# Names: assignment, rebinding, unpacking


def test_a_value_is_seen_through_the_names_it_is_given() -> None:
    check(
        TORCH,
        """
        def loss(logits, labels):
            probs = F.softmax(logits, -1)
            p = q = probs
            return -(labels * torch.log(q)).sum()  # error: [NL101]

        def guarded(logits, labels):
            probs = F.softmax(logits, -1)
            p = q = probs + 1e-6
            return -(labels * torch.log(q)).sum()
        """,
    )


def test_a_name_means_what_it_was_bound_to_last() -> None:
    check(
        TORCH,
        """
        def loss(x, labels):
            x = x.clamp(min=1e-6)
            x = F.softmax(x, -1)
            return -(labels * torch.log(x)).sum()  # error: [NL101]

        def guarded(x, labels):
            x = F.softmax(x, -1)
            x = x.clamp(min=1e-6)
            return -(labels * torch.log(x)).sum()
        """,
    )


def test_an_annotated_assignment_is_an_assignment() -> None:
    check(
        TORCH,
        """
        def loss(logits: torch.Tensor) -> torch.Tensor:
            probs: torch.Tensor = F.softmax(logits, -1)
            return torch.log(probs).sum()  # error: [NL101]

        def guarded(logits: torch.Tensor) -> torch.Tensor:
            probs: torch.Tensor = F.softmax(logits, -1) + 1e-6
            return torch.log(probs).sum()
        """,
    )


def test_tuples_are_unpacked_element_by_element() -> None:
    check(
        TORCH,
        """
        def loss(x, y):
            a, (b, c) = x, (F.relu(y), F.relu(y) + 1)
            return a / b  # error: [NL303]

        def guarded(x, y):
            a, (b, c) = x, (F.relu(y), F.relu(y) + 1)
            return a / c
        """,
    )


def test_two_names_are_swapped() -> None:
    check(
        TORCH,
        """
        def loss(x, y):
            below, above = F.relu(x) + 1, F.relu(y)
            below, above = above, below
            return above / below  # error: [NL303]

        def guarded(x, y):
            below, above = F.relu(x), F.relu(y) + 1
            below, above = above, below
            return above / below
        """,
    )


def test_a_starred_target_takes_the_rest() -> None:
    check(
        TORCH,
        """
        def loss(x, y):
            first, *rest, last = F.relu(x), x, y, F.relu(y) + 1
            return x / first  # error: [NL303]

        def guarded(x, y):
            first, *rest, last = F.relu(x), x, y, F.relu(y) + 1
            return x / last
        """,
    )


def test_the_tuple_a_helper_returns_is_unpacked() -> None:
    check(
        TF,
        """
        def statistics(x):
            return tf.nn.relu(x), tf.nn.relu(x) + 1.0

        def loss(x):
            count, floored = statistics(x)
            return x / count  # error: [NL303]

        def guarded(x):
            count, floored = statistics(x)
            return x / floored
        """,
    )


def test_an_item_of_a_literal_is_that_element() -> None:
    check(
        TORCH,
        """
        def loss(x):
            parts = [F.relu(x), F.relu(x) + 1]
            return x / parts[0]  # error: [NL303]

        def guarded(x):
            parts = [F.relu(x), F.relu(x) + 1]
            return x / parts[-1]
        """,
    )


def test_an_entry_of_a_dict_is_that_value() -> None:
    check(
        TORCH,
        """
        def loss(logits):
            out = {"logits": logits, "probs": F.softmax(logits, -1)}
            return torch.log(out["probs"]).mean()  # error: [NL101]

        def guarded(logits):
            out = {"logits": logits, "probs": F.softmax(logits, -1) + 1e-6}
            return torch.log(out["probs"]).mean()
        """,
    )


def test_an_entry_put_into_a_dict_is_found_there() -> None:
    check(
        TORCH,
        """
        def loss(logits):
            out = {}
            out["probs"] = F.softmax(logits, -1)
            return torch.log(out["probs"]).mean()  # error: [NL101]

        def guarded(logits):
            out = dict()
            out["probs"] = F.softmax(logits, -1) + 1e-6
            return torch.log(out["probs"]).mean()
        """,
    )


def test_dict_by_keywords_is_a_dict() -> None:
    check(
        TORCH,
        """
        def loss(logits):
            out = dict(probs=F.softmax(logits, -1))
            return torch.log(out["probs"]).mean()  # error: [NL101]

        def guarded(logits):
            out = dict(probs=F.softmax(logits, -1) + 1e-6)
            return torch.log(out["probs"]).mean()
        """,
    )


def test_a_deleted_name_is_gone_its_value_is_not() -> None:
    check(
        TORCH,
        """
        def loss(logits):
            probs = F.softmax(logits, -1)
            other = probs
            del probs
            return torch.log(other).mean()  # error: [NL101]
        """,
    )


def test_a_global_name_carries_a_value_out_of_its_function() -> None:
    check(
        TORCH,
        """
        EPS = 0.0

        def configure():
            global EPS
            EPS = 1e-6

        configure()

        def guarded(logits):
            return torch.log(F.softmax(logits, -1) + EPS).mean()
        """,
    )


def test_a_module_constant_is_known_in_every_function() -> None:
    check(
        TF,
        """
        EPSILON = 1e-6
        VANISHING = 1e-50

        def loss(logits):
            return tf.reduce_mean(tf.math.log(tf.nn.softmax(logits) + VANISHING))  # error: [NL103]

        def guarded(logits):
            return tf.reduce_mean(tf.math.log(tf.nn.softmax(logits) + EPSILON))
        """,
    )


def test_arithmetic_of_constants_is_done() -> None:
    check(
        TORCH,
        """
        SCALE = 2
        EPS = 10 ** -6
        NONE = SCALE - 2

        def loss(logits):
            return torch.log(F.softmax(logits, -1) + NONE).mean()  # error: [NL103]

        def guarded(logits):
            return torch.log(F.softmax(logits, -1) + EPS / SCALE).mean()
        """,
    )


def test_a_string_formatted_with_a_value_changes_nothing() -> None:
    check(
        TORCH,
        """
        def loss(logits):
            probs = F.softmax(logits, -1)
            print(f"{probs.mean():.3f}", "%s" % probs, "{}".format(probs))
            return torch.log(probs).mean()  # error: [NL101]

        def guarded(logits):
            probs = F.softmax(logits, -1) + 1e-6
            print(f"{probs.mean():.3f}", "%s" % probs, "{}".format(probs))
            return torch.log(probs).mean()
        """,
    )


def test_a_logarithm_inside_a_formatted_string_is_seen() -> None:
    check(
        TORCH,
        """
        def report(logits):
            return f"{torch.log(F.softmax(logits, -1)).mean():.3f}"  # error: [NL101]
        """,
    )


# In-place operations


def test_augmented_assignment_is_arithmetic() -> None:
    check(
        TORCH,
        """
        def loss(logits):
            probs = F.softmax(logits, -1)
            probs *= 2
            return torch.log(probs).mean()  # error: [NL103]

        def guarded(logits):
            probs = F.softmax(logits, -1)
            probs += 1e-6
            return torch.log(probs).mean()
        """,
    )


def test_augmented_assignment_of_an_attribute_stays() -> None:
    check(
        TORCH,
        """
        class Loss:
            def __call__(self, logits):
                self.probs = F.softmax(logits, -1)
                self.probs += 1e-6
                return torch.log(self.probs).mean()
        """,
    )


def test_division_in_place_is_division() -> None:
    check(
        TORCH,
        """
        def loss(x, y):
            x /= F.relu(y)  # error: [NL303]
            return x

        def guarded(x, y):
            x /= F.relu(y) + 1
            return x
        """,
    )


def test_an_underscore_method_changes_its_tensor() -> None:
    check(
        TORCH,
        """
        def loss(x):
            x = x + 1e-6
            x.relu_()
            return torch.log(x).mean()  # error: [NL103]

        def guarded(x):
            x = F.relu(x)
            x.clamp_(min=1e-6)
            return torch.log(x).mean()
        """,
    )


def test_underscore_methods_chain() -> None:
    check(
        TORCH,
        """
        def loss(x, y):
            y.neg_().relu_()
            return x / y  # error: [NL303]

        def guarded(x, y):
            y.relu_().add_(1e-6)
            return x / y
        """,
    )


def test_out_names_the_tensor_that_is_changed() -> None:
    check(
        TORCH,
        """
        def loss(x, y):
            torch.relu_(y)
            torch.clamp(x, min=1e-6, out=x)
            return x / y  # error: [NL303]

        def guarded(x, y):
            torch.relu_(y)
            torch.clamp(y, min=1e-6, out=y)
            return x / y
        """,
    )


def test_out_of_a_ufunc_names_the_array_that_is_changed() -> None:
    check(
        NUMPY,
        """
        from scipy.special import softmax

        def score(x, labels):
            p = softmax(x, -1)
            return np.sum(np.log(p))  # error: [NL101]

        def guarded(x, labels):
            p = softmax(x, -1)
            np.maximum(p, 1e-12, out=p)
            return np.sum(np.log(p))
        """,
    )


def test_np_clip_with_out_guards() -> None:
    check(
        NUMPY,
        """
        from scipy.special import softmax

        def guarded(x, labels):
            p = softmax(x, -1)
            np.clip(p, 1e-12, None, out=p)
            return np.sum(np.log(p))
        """,
    )


def test_a_store_under_a_mask_replaces_what_the_mask_selects() -> None:
    check(
        TORCH,
        """
        def share(x):
            total = x.sum(1)
            norm = torch.relu(x).sum(1)
            total[norm == 0] = 1
            return x / norm[:, None] + total  # error: [NL301]

        def guarded(x):
            norm = torch.relu(x).sum(1)
            norm[norm == 0] = 1
            return x / norm[:, None]
        """,
    )


def test_a_store_under_a_named_mask_guards() -> None:
    check(
        TORCH,
        """
        def loss(x, y):
            y = F.relu(y)
            large = y > 5
            y[large] = 5.0
            return x / y  # error: [NL303]

        def guarded(x, y):
            y = F.relu(y)
            empty = y == 0
            y[empty] = 1.0
            return x / y
        """,
    )


def test_masked_fill_in_place_guards() -> None:
    check(
        TORCH,
        """
        def loss(x, y):
            y = F.relu(y)
            y.masked_fill_(y > 5, 5.0)
            return x / y  # error: [NL303]

        def guarded(x, y):
            y = F.relu(y)
            y.masked_fill_(y == 0, 1.0)
            return x / y
        """,
    )


def test_a_store_of_everything_replaces_everything() -> None:
    check(
        TORCH,
        """
        def loss(x, y):
            y = y.exp() + 1
            y[:] = F.relu(x)
            return x / y  # error: [NL303]

        def guarded(x, y):
            y = F.relu(y)
            y[:] = y + 1
            return x / y
        """,
    )


def test_the_item_stored_is_the_item_read() -> None:
    check(
        TORCH,
        """
        def loss(x, y):
            parts = [x, y]
            parts[0] = F.relu(x)
            return y / parts[0]  # error: [NL303]

        def guarded(x, y):
            parts = [F.relu(x), y]
            parts[0] = F.relu(x) + 1
            return y / parts[0]
        """,
    )


# Spellings of a call


def test_methods_chain() -> None:
    check(
        TORCH,
        """
        def loss(logits):
            return logits.view(4, -1).softmax(-1).log().mean()  # error: [NL101]

        def guarded(logits):
            return logits.view(4, -1).softmax(-1).clamp(min=1e-6).log().mean()
        """,
    )


def test_views_casts_and_parts_are_the_same_elements() -> None:
    check(
        TORCH,
        """
        def loss(logits, index):
            p = F.softmax(logits, dim=-1).float().contiguous()
            p = p.gather(1, index.unsqueeze(1)).squeeze(1)
            return -torch.log(p).mean()  # error: [NL101]

        def guarded(logits, index):
            p = F.softmax(logits, dim=-1).float().contiguous()
            p = p.clamp_min(1e-6).gather(1, index.unsqueeze(1)).squeeze(1)
            return -torch.log(p).mean()
        """,
    )


def test_operands_are_given_by_keyword() -> None:
    check(
        TF,
        """
        def loss(logits):
            return tf.reduce_sum(input_tensor=tf.math.log(x=tf.nn.softmax(logits=logits, axis=-1)))  # error: [NL101]

        def guarded(logits):
            p = tf.clip_by_value(clip_value_max=1.0, clip_value_min=1e-6, t=tf.nn.softmax(logits=logits))
            return tf.reduce_sum(input_tensor=tf.math.log(x=p))
        """,
    )


def test_keywords_of_a_helper_find_their_parameters() -> None:
    check(
        TORCH,
        """
        def ratio(above, below):
            return above / below  # error: [NL303]

        def loss(x):
            return ratio(below=F.relu(x), above=x + 1)

        def share(above, below):
            return above / below

        def guarded(x):
            return share(below=F.softplus(x) + 1, above=F.relu(x))
        """,
    )


def test_operators_have_function_forms() -> None:
    check(
        TORCH,
        """
        def loss(x, y):
            return torch.div(x, torch.relu(y))  # error: [NL303]

        def guarded(x, y):
            return torch.div(x, torch.add(torch.relu(y), 1e-6))
        """,
    )


@pytest.mark.parametrize(
    ("imports", "log", "softmax"),
    [
        ("import torch", "torch.log", "torch.nn.functional.softmax"),
        ("import torch as th", "th.log", "th.softmax"),
        ("import torch\nimport torch.nn.functional as F", "torch.log", "F.softmax"),
        ("import torch\nfrom torch.nn import functional as nnf", "torch.log", "nnf.softmax"),
        ("import torch\nfrom torch import nn", "torch.log", "nn.functional.softmax"),
        ("from torch import log\nfrom torch.nn.functional import softmax", "log", "softmax"),
        ("from torch import log as ln\nfrom torch.nn.functional import softmax as sm", "ln", "sm"),
        ("from torch import *\nfrom torch.nn.functional import *", "log", "softmax"),
        ("import tensorflow as tf", "tf.math.log", "tf.nn.softmax"),
        ("import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()", "tf.log", "tf.nn.softmax"),
        ("import tensorflow as tf\ntf1 = tf.compat.v1", "tf1.log", "tf1.nn.softmax"),
        ("from tensorflow.keras import backend as K", "K.log", "K.softmax"),
        ("import keras.backend as K", "K.log", "K.softmax"),
        ("from keras import ops", "ops.log", "ops.softmax"),
        ("import jax\nimport jax.numpy as jnp", "jnp.log", "jax.nn.softmax"),
        ("from jax import numpy as np, nn", "np.log", "nn.softmax"),
        ("import numpy as onp\nimport jax.numpy as np\nfrom jax.nn import softmax", "np.log", "softmax"),
    ],
)
def test_imports_are_resolved_in_every_form(imports: str, log: str, softmax: str) -> None:
    check(
        imports,
        f"""
        def loss(x, y):
            return (y * {log}({softmax}(x))).mean()  # error: [NL101]

        def guarded(x, y):
            return (y * {log}({softmax}(x) + 1e-6)).mean()
        """,
    )


def test_an_import_with_a_fallback_means_the_framework() -> None:
    check(
        """
        try:
            import tensorflow.compat.v1 as tf
        except ImportError:
            import tensorflow as tf

        def loss(logits):
            return tf.reduce_mean(tf.log(tf.nn.softmax(logits)))  # error: [NL101]

        def guarded(logits):
            return tf.reduce_mean(tf.log(tf.nn.softmax(logits) + 1e-6))
        """,
    )


def test_an_optional_import_means_the_framework() -> None:
    check(
        """
        try:
            import torch
        except ImportError:
            torch = None

        def loss(logits):
            return torch.log(torch.softmax(logits, -1)).mean()  # error: [NL101]

        def guarded(logits):
            return torch.log(torch.softmax(logits, -1) + 1e-6).mean()
        """,
    )


@pytest.mark.parametrize(
    "imports",
    [
        'torch = optional("torch")\nF = optional("torch.nn.functional")',
        'torch, there = optional("torch")\nF, _ = optional("torch.nn.functional")',
        'from importlib import import_module\ntorch = import_module("torch")\nF = import_module("torch.nn.functional")',
    ],
)
def test_what_a_call_brings_by_name_is_the_framework(imports: str) -> None:
    check(
        "from .lazily import optional\n" + imports,
        """
        def loss(logits):
            return torch.log(F.softmax(logits, -1))  # error: [NL101]
        """,
    )


def test_a_word_that_is_given_to_a_call_is_no_import() -> None:
    check(
        "import numpy\nfrom .settings import setting\nbackend = setting('torch')\ntorch_version = setting('torch')",
        """
        def loss(logits):
            return torch_version.log(backend.softmax(logits, -1))
        """,
    )


def test_an_import_inside_a_function_holds_there() -> None:
    check(
        """
        def loss(logits):
            import torch
            from torch.nn import functional as f
            return torch.log(f.softmax(logits, -1)).mean()  # error: [NL101]

        def guarded(logits):
            import torch
            from torch.nn import functional as f
            return torch.log(f.softmax(logits, -1) + 1e-6).mean()
        """,
    )


def test_an_import_under_a_condition_means_the_framework() -> None:
    check(
        """
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            import torch
        if not TYPE_CHECKING:
            import torch

        def loss(logits):
            return torch.log(torch.softmax(logits, -1)).mean()  # error: [NL101]
        """,
    )


def test_a_function_bound_to_a_name_is_the_function() -> None:
    check(
        TORCH,
        """
        log = torch.log
        normalise = F.softmax

        def loss(logits):
            return log(normalise(logits, -1)).mean()  # error: [NL101]

        def guarded(logits):
            return log(normalise(logits, -1) + 1e-6).mean()
        """,
    )


def test_getattr_with_a_literal_is_an_attribute() -> None:
    check(
        TORCH,
        """
        def loss(logits):
            return getattr(torch, "log")(F.softmax(logits, -1)).mean()  # error: [NL101]

        def guarded(logits):
            return getattr(torch, "log")(F.softmax(logits, -1) + 1e-6).mean()
        """,
    )


# Functions


def test_helpers_are_seen_through_four_calls_deep() -> None:
    check(
        TORCH,
        """
        def a(x):
            return F.softmax(x, -1)

        def b(x):
            return a(x)

        def c(x):
            return b(x)

        def d(x):
            return c(x)

        def loss(x):
            return torch.log(d(x)).mean()  # error: [NL101]

        def guarded(x):
            return torch.log(d(x) + 1e-6).mean()
        """,
    )


def test_an_argument_is_followed_four_calls_down() -> None:
    check(
        JAX,
        """
        def a(p):
            return jnp.log(p)  # error: [NL101]

        def b(p):
            return a(p)

        def c(p):
            return b(p)

        def d(p):
            return c(p)

        def loss(x):
            return d(jax.nn.softmax(x))
        """,
    )


def test_a_guard_on_the_way_down_holds_below() -> None:
    check(
        JAX,
        """
        def _a(p):
            return jnp.log(p)

        def _b(p):
            return _a(p)

        def _c(p):
            return _b(p + 1e-6)

        def loss(x):
            return _c(jax.nn.softmax(x))
        """,
    )


def test_a_function_defined_below_its_caller_is_known() -> None:
    check(
        TORCH,
        """
        def loss(x):
            return torch.log(probabilities(x)).mean()  # error: [NL101]

        def guarded(x):
            return torch.log(floored(x)).mean()

        def probabilities(x):
            return F.softmax(x, -1)

        def floored(x):
            return F.softmax(x, -1) + 1e-6
        """,
    )


def test_a_lambda_is_a_function() -> None:
    check(
        TORCH,
        """
        soft = lambda x: F.softmax(x, -1)
        floor = lambda x, eps=1e-6: soft(x) + eps

        def loss(x):
            return torch.log(soft(x)).mean()  # error: [NL101]

        def guarded(x):
            return torch.log(floor(x)).mean()
        """,
    )


def test_a_lambda_called_where_it_stands_is_seen_through() -> None:
    check(
        TORCH,
        """
        def loss(x):
            return torch.log((lambda z: F.softmax(z, -1))(x)).mean()  # error: [NL101]

        def guarded(x):
            return torch.log((lambda z: F.softmax(z, -1) + 1e-6)(x)).mean()
        """,
    )


def test_a_function_given_as_an_argument_is_called() -> None:
    check(
        TORCH,
        """
        def soft(x):
            return F.softmax(x, -1)

        def floored(x):
            return F.softmax(x, -1) + 1e-6

        def _log_of(f, x):
            return torch.log(f(x))  # error: [NL101]

        def loss(x):
            return _log_of(soft, x)

        def _log_after(f, x):
            return torch.log(f(x))

        def guarded(x):
            return _log_after(floored, x)
        """,
    )


def test_a_function_from_a_table_is_called() -> None:
    check(
        TORCH,
        """
        ACTIVATIONS = {"relu": F.relu, "softplus": F.softplus, "exp": torch.exp}

        def loss(x, y):
            return x / ACTIVATIONS["relu"](y)  # error: [NL303]

        def guarded(x, y):
            return x / (ACTIVATIONS["relu"](y) + 1)
        """,
    )


def test_recursion_ends() -> None:
    started = time.process_time()
    check(
        TORCH,
        """
        def depth(x, n):
            return F.softmax(x, -1) if n == 0 else depth(x * 2, n - 1)

        def even(x, n):
            return x if n == 0 else odd(x, n - 1)

        def odd(x, n):
            return F.relu(x) if n == 0 else even(x, n - 1)

        def loss(x, n):
            return torch.log(depth(x, n)).mean()  # error: [NL101]

        def guarded(x, n):
            return torch.log(depth(x, n) + 1e-6).mean()

        def ratio(x, n):
            return x / (odd(x, n).abs() + 1e-6)
        """,
    )
    assert time.process_time() - started < 2


def test_a_default_argument_says_what_a_parameter_is() -> None:
    check(
        TORCH,
        """
        def loss(logits, activation=F.softmax):
            return torch.log(activation(logits)).mean()  # error: [NL101]

        def guarded(logits, activation=F.softmax, eps=1e-6):
            return torch.log(activation(logits) + eps).mean()
        """,
    )


def test_a_default_is_overridden_by_its_caller() -> None:
    check(
        TORCH,
        """
        def _safe_log(x, eps=1e-6):
            return torch.log(x + eps)  # error: [NL103]

        def loss(logits):
            return _safe_log(F.softmax(logits, -1), eps=0.0).mean()

        def _floored_log(x, eps=0.0):
            return torch.log(x + eps)

        def guarded(logits):
            return _floored_log(F.softmax(logits, -1), eps=1e-6).mean()
        """,
    )


def test_a_keyword_only_default_guards() -> None:
    check(
        TF,
        """
        def guarded(logits, *, eps=1e-6):
            return tf.math.log(tf.nn.softmax(logits) + eps)

        def also(logits, labels, /, floor=1e-6):
            return labels * tf.math.log(tf.maximum(tf.nn.softmax(logits), floor))
        """,
    )


def test_a_closure_sees_the_names_around_it() -> None:
    check(
        TORCH,
        """
        def loss_with(logits):
            probs = F.softmax(logits, -1)

            def closure():
                return torch.log(probs).mean()  # error: [NL101]

            return closure

        def guarded_with(logits, eps=1e-6):
            probs = F.softmax(logits, -1)

            def closure():
                return torch.log(probs + eps).mean()

            return closure
        """,
    )


def test_a_factory_gives_the_function_it_makes() -> None:
    check(
        TORCH,
        """
        def make(eps):
            def loss(logits):
                return torch.log(F.softmax(logits, -1) + eps).mean()
            return loss

        guarded = make(1e-6)

        def train(x):
            return guarded(x)
        """,
    )


def test_nonlocal_rebinds_the_name_outside() -> None:
    check(
        TORCH,
        """
        def loss(logits):
            below = logits.exp() + 1

            def shrink():
                nonlocal below
                below = F.relu(logits)

            shrink()
            return logits / below  # error: [NL303]

        def guarded(logits):
            below = F.relu(logits)

            def lift():
                nonlocal below
                below = F.softplus(logits) + 1

            lift()
            return logits / below
        """,
    )


def test_positional_arguments_pass_through_a_star() -> None:
    check(
        TORCH,
        """
        def _ratio(*parts):
            return parts[0] / parts[1]  # error: [NL303]

        def loss(x):
            return _ratio(x, F.relu(x))

        def _share(*parts):
            above, below = parts
            return above / below

        def guarded(x):
            return _share(x, F.relu(x) + 1)
        """,
    )


def test_a_starred_argument_is_spread() -> None:
    check(
        TORCH,
        """
        def _ratio(above, below):
            return above / below  # error: [NL303]

        def loss(x):
            pair = (x, F.relu(x))
            return _ratio(*pair)

        def _share(above, below):
            return above / below

        def guarded(x):
            pair = (x, F.relu(x) + 1)
            return _share(*pair)
        """,
    )


def test_keyword_arguments_pass_through_two_stars() -> None:
    check(
        TORCH,
        """
        def _ratio(above=None, below=None):
            return above / below  # error: [NL303]

        def loss(x):
            given = {"above": x, "below": F.relu(x)}
            return _ratio(**given)

        def _share(above=None, below=None):
            return above / below

        def guarded(x):
            given = dict(above=x, below=F.relu(x) + 1)
            return _share(**given)
        """,
    )


def test_keyword_arguments_are_handed_on() -> None:
    check(
        TORCH,
        """
        def _log(x, eps=1e-6):
            return torch.log(x + eps)  # error: [NL103]

        def _through(x, **kwargs):
            return _log(x, **kwargs)

        def loss(logits):
            return _through(F.softmax(logits, -1), eps=0.0)

        def _floored(x, eps=0.0):
            return torch.log(x + eps)

        def _past(x, **kwargs):
            return _floored(x, **kwargs)

        def guarded(logits):
            return _past(F.softmax(logits, -1), eps=1e-6)
        """,
    )


def test_all_arguments_are_handed_on_by_a_wrapper() -> None:
    check(
        TORCH,
        """
        def _ratio(above, below):
            return above / below  # error: [NL303]

        def _relay(*args, **kwargs):
            return _ratio(*args, **kwargs)

        def loss(x):
            return _relay(x, below=F.relu(x))
        """,
    )


def test_a_partial_is_the_function_with_arguments_bound() -> None:
    check(
        TORCH,
        """
        from functools import partial

        soft = partial(F.softmax, dim=-1)

        def floored(eps, x):
            return soft(x) + eps

        safe = partial(floored, 1e-6)

        def loss(x):
            return torch.log(soft(x)).mean()  # error: [NL101]

        def guarded(x):
            return torch.log(safe(x)).mean()
        """,
    )


def test_an_async_function_is_a_function() -> None:
    check(
        TORCH,
        """
        async def probabilities(x):
            return F.softmax(x, -1)

        async def loss(x):
            return torch.log(await probabilities(x)).mean()  # error: [NL101]

        async def guarded(x):
            return torch.log(await probabilities(x) + 1e-6).mean()
        """,
    )


def test_dicts_that_are_joined_or_only_read_are_known() -> None:
    check(
        TORCH,
        """
        from types import MappingProxyType

        BASE = {"eps": 0.0, "rate": 0.1}
        SAFE = MappingProxyType(BASE | {"eps": 1e-6})

        def loss(x):
            return torch.log(F.softmax(x, -1).clamp(0.0, 1.0) * BASE["rate"] + BASE["eps"]).mean()  # error: [NL103]

        def guarded(x):
            return torch.log(F.softmax(x, -1).clamp(0.0, 1.0) * SAFE["rate"] + SAFE["eps"]).mean()
        """,
    )


def test_a_generator_yields_what_its_loop_takes() -> None:
    check(
        TORCH,
        """
        def probabilities(batches):
            for batch in batches:
                yield F.softmax(batch, -1)

        def floored(batches):
            for batch in batches:
                yield F.softmax(batch, -1) + 1e-6

        def loss(batches):
            total = 0.0
            for p in probabilities(batches):
                total = total + torch.log(p).mean()  # error: [NL101]
            return total

        def guarded(batches):
            total = 0.0
            for p in floored(batches):
                total = total + torch.log(p).mean()
            return total
        """,
    )


# Decorators


@pytest.mark.parametrize(
    ("imports", "decorator", "log", "softmax"),
    [
        (TF, "@tf.function", "tf.math.log", "tf.nn.softmax"),
        (TF, "@tf.function(jit_compile=True)", "tf.math.log", "tf.nn.softmax"),
        (TF, "@tf.function(input_signature=[tf.TensorSpec([None, 10])])", "tf.math.log", "tf.nn.softmax"),
        (TORCH, "@torch.compile", "torch.log", "torch.sigmoid"),
        (TORCH, "@torch.compile(mode='max-autotune')", "torch.log", "torch.sigmoid"),
        (TORCH, "@torch.jit.script", "torch.log", "torch.sigmoid"),
        (TORCH, "@torch.no_grad()", "torch.log", "torch.sigmoid"),
        (JAX, "@jax.jit", "jnp.log", "jax.nn.softmax"),
        (JAX, "@jax.vmap", "jnp.log", "jax.nn.softmax"),
        (JAX, "@jax.grad", "jnp.log", "jax.nn.softmax"),
        (
            JAX + "from functools import partial\n",
            "@partial(jax.jit, static_argnums=(0,))",
            "jnp.log",
            "jax.nn.softmax",
        ),
    ],
)
def test_decorators_of_the_frameworks_leave_the_function_what_it_is(
    imports: str, decorator: str, log: str, softmax: str
) -> None:
    code = "NL102" if "sigmoid" in softmax else "NL101"
    check(
        imports,
        f"""
        {decorator}
        def soft(x):
            return {softmax}(x)

        {decorator}
        def loss(x):
            return {log}({softmax}(x)).sum()  # error: [{code}]

        {decorator}
        def guarded(x):
            return {log}({softmax}(x) + 1e-6).sum()
        """,
    )


def test_a_decorated_helper_is_seen_through() -> None:
    check(
        TF,
        """
        @tf.function
        def soft(x):
            return tf.nn.softmax(x)

        def loss(x):
            return tf.math.log(soft(x))  # error: [NL101]

        def guarded(x):
            return tf.math.log(soft(x) + 1e-6)
        """,
    )


def test_a_wrapper_of_this_file_is_seen_through() -> None:
    check(
        TORCH,
        """
        import functools

        def logged(f):
            @functools.wraps(f)
            def wrapper(*args, **kwargs):
                print(f.__name__)
                return f(*args, **kwargs)
            return wrapper

        @logged
        def soft(x):
            return F.softmax(x, -1)

        def loss(x):
            return torch.log(soft(x)).mean()  # error: [NL101]

        def guarded(x):
            return torch.log(soft(x) + 1e-6).mean()
        """,
    )


def test_a_transformed_function_is_called_like_the_function() -> None:
    check(
        JAX,
        """
        def _loss(w, x):
            return -jnp.log(jax.nn.softmax(x @ w)).mean()  # error: [NL101]

        step = jax.jit(jax.value_and_grad(_loss))

        def train(w, x):
            value, gradient = step(w, x)
            return w - 0.1 * gradient
        """,
    )


def test_a_vectorised_function_takes_the_same_arguments() -> None:
    check(
        JAX,
        """
        def _entropy(p):
            return -(p * jnp.log(p)).sum()  # error: [NL101]

        def loss(x):
            return jax.vmap(_entropy)(jax.nn.softmax(x))

        def _floored(p):
            return -(p * jnp.log(p)).sum()

        def guarded(x):
            return jax.vmap(_floored)(jax.nn.softmax(x) + 1e-6)
        """,
    )


# Classes


def test_an_attribute_set_in_init_is_known_in_methods() -> None:
    check(
        TORCH,
        """
        class Loss:
            def __init__(self):
                self.eps = 1e-6
                self.vanishing = 1e-50

            def bad(self, logits):
                return torch.log(F.softmax(logits, -1) + self.vanishing).mean()  # error: [NL103]

            def good(self, logits):
                return torch.log(F.softmax(logits, -1) + self.eps).mean()
        """,
    )


def test_an_attribute_comes_from_a_base_class_in_the_file() -> None:
    check(
        TORCH,
        """
        class Base(nn.Module):
            def __init__(self, eps=1e-6):
                super().__init__()
                self.eps = eps
                self.activation = nn.Softmax(dim=-1)

        class Loss(Base):
            def __init__(self):
                super().__init__()
                self.scale = 2.0

            def forward(self, logits):
                return torch.log(self.activation(logits) * self.scale).mean()  # error: [NL103]

        class Guarded(Base):
            def forward(self, logits):
                return torch.log(self.activation(logits) + self.eps).mean()
        """,
    )


def test_a_method_comes_from_a_base_class_in_the_file() -> None:
    check(
        TORCH,
        """
        class Base:
            def probabilities(self, x):
                return F.softmax(x, -1)

        class Loss(Base):
            def __call__(self, x):
                return torch.log(self.probabilities(x)).mean()  # error: [NL101]

        class Guarded(Base):
            def probabilities(self, x):
                return super().probabilities(x) + 1e-6

            def __call__(self, x):
                return torch.log(self.probabilities(x)).mean()
        """,
    )


def test_a_class_constant_is_known_by_self_and_by_the_class() -> None:
    check(
        TORCH,
        """
        class Loss:
            EPS = 1e-6
            VANISHING = 1e-50

            def bad(self, logits):
                return torch.log(F.softmax(logits, -1) + self.VANISHING).mean()  # error: [NL103]

            def good(self, logits):
                return torch.log(F.softmax(logits, -1) + self.EPS).mean()

            def also_good(self, logits):
                return torch.log(F.softmax(logits, -1) + Loss.EPS).mean()
        """,
    )


def test_a_property_is_computed() -> None:
    check(
        TORCH,
        """
        class Policy:
            def __init__(self, logits):
                self.logits = logits

            @property
            def probs(self):
                return F.softmax(self.logits, -1)

            def entropy(self):
                return -(self.probs * torch.log(self.probs)).sum()  # error: [NL101]

        class Guarded:
            def __init__(self, logits):
                self.logits = logits

            @property
            def probs(self):
                return F.softmax(self.logits, -1) + 1e-6

            def entropy(self):
                return -(self.probs * torch.log(self.probs)).sum()
        """,
    )


def test_a_cached_property_is_computed() -> None:
    check(
        TORCH,
        """
        from functools import cached_property

        class Policy:
            def __init__(self, logits):
                self.logits = logits

            @cached_property
            def probs(self):
                return F.softmax(self.logits, -1)

            def log_prob(self, action):
                return torch.log(self.probs.gather(-1, action))  # error: [NL101]
        """,
    )


def test_static_and_class_methods_are_called() -> None:
    check(
        TORCH,
        """
        class Loss:
            eps = 1e-6

            @staticmethod
            def soft(x):
                return F.softmax(x, -1)

            @classmethod
            def floored(cls, x):
                return cls.soft(x) + cls.eps

            def bad(self, x):
                return torch.log(self.soft(x)).mean()  # error: [NL101]

            def also_bad(self, x):
                return torch.log(Loss.soft(x)).mean()  # error: [NL101]

            def good(self, x):
                return torch.log(self.floored(x)).mean()
        """,
    )


def test_the_fields_of_a_dataclass_have_their_defaults() -> None:
    check(
        TORCH,
        """
        from dataclasses import dataclass

        @dataclass
        class Config:
            eps: float = 1e-6
            vanishing: float = 1e-50

        CONFIG = Config()

        def guarded(logits):
            return torch.log(F.softmax(logits, -1) + CONFIG.eps).mean()

        def loss(logits):
            return torch.log(F.softmax(logits, -1) + CONFIG.vanishing).mean()  # error: [NL103]
        """,
    )


def test_the_fields_of_a_dataclass_are_given_to_its_constructor() -> None:
    check(
        TORCH,
        """
        from dataclasses import dataclass

        @dataclass
        class Outputs:
            logits: torch.Tensor
            probs: torch.Tensor

        def loss(logits):
            out = Outputs(logits, F.softmax(logits, -1))
            return torch.log(out.probs).mean()  # error: [NL101]

        def guarded(logits):
            out = Outputs(logits=logits, probs=F.softmax(logits, -1) + 1e-6)
            return torch.log(out.probs).mean()
        """,
    )


def test_the_fields_of_a_named_tuple_are_given_to_its_constructor() -> None:
    check(
        TORCH,
        """
        from typing import NamedTuple

        class Outputs(NamedTuple):
            logits: torch.Tensor
            probs: torch.Tensor

        def forward(logits):
            return Outputs(logits, F.softmax(logits, -1))

        def loss(logits):
            return torch.log(forward(logits).probs).mean()  # error: [NL101]

        def guarded(logits):
            return torch.log(forward(logits).probs + 1e-6).mean()
        """,
    )


def test_an_attribute_set_from_outside_is_read() -> None:
    check(
        TORCH,
        """
        class State:
            pass

        def loss(logits):
            state = State()
            state.probs = F.softmax(logits, -1)
            return torch.log(state.probs).mean()  # error: [NL101]

        def guarded(logits):
            state = State()
            state.probs = F.softmax(logits, -1) + 1e-6
            return torch.log(state.probs).mean()
        """,
    )


def test_an_attribute_set_by_one_method_is_read_in_the_next() -> None:
    check(
        TORCH,
        """
        class Model:
            def forward(self, x):
                self.predict(x)
                return torch.log(self.probs).mean()  # error: [NL101]

            def predict(self, x):
                self.probs = F.softmax(x, -1)

        class Guarded:
            def forward(self, x):
                self.predict(x)
                return torch.log(self.probs).mean()

            def predict(self, x):
                self.probs = F.softmax(x, -1) + 1e-6
        """,
    )


def test_the_argument_of_a_constructor_reaches_the_method() -> None:
    check(
        TORCH,
        """
        class Log:
            def __init__(self, eps):
                self.eps = eps

            def __call__(self, p):
                return torch.log(p + self.eps)

        guarded = Log(1e-6)

        def loss(logits):
            return guarded(F.softmax(logits, -1)).mean()
        """,
    )


# Layers and models


def test_a_module_applies_its_layers() -> None:
    check(
        TORCH,
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(4, 2)
                self.act = nn.Softmax(dim=-1)

            def forward(self, x):
                return self.act(self.fc(x))

        net = Net()

        def loss(x, y):
            return -(y * torch.log(net(x))).mean()  # error: [NL101]

        def guarded(x, y):
            return -(y * torch.log(net(x).clamp(min=1e-6))).mean()
        """,
    )


def test_a_module_inside_a_module_is_applied() -> None:
    check(
        TORCH,
        """
        class Head(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(4, 2)

            def forward(self, x):
                return torch.softmax(self.fc(x), dim=1)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.head = Head()

            def forward(self, x):
                return self.head(x)

        class Trainer:
            def __init__(self):
                self.net = Net().cuda()

            def loss(self, x):
                return torch.log(self.net(x)).mean()  # error: [NL101]

            def guarded(self, x):
                return torch.log(self.net(x) + 1e-6).mean()
        """,
    )


def test_a_torch_sequential_ends_in_its_last_layer() -> None:
    check(
        TORCH,
        """
        net = nn.Sequential(nn.Linear(4, 2), nn.Softmax(dim=-1))
        plain = nn.Sequential(nn.Linear(4, 2), nn.Softplus())

        def loss(x):
            return torch.log(net(x)).mean()  # error: [NL101]

        def guarded(x):
            return torch.log(net(x) + 1e-6).mean()
        """,
    )


def test_a_sequential_of_a_list_is_spread() -> None:
    check(
        TORCH,
        """
        from collections import OrderedDict

        layers = [nn.Linear(4, 2)]
        layers.append(nn.Softmax(dim=-1))
        net = nn.Sequential(*[nn.Linear(4, 2), nn.Softmax(dim=-1)])
        named = nn.Sequential(OrderedDict([("fc", nn.Linear(4, 2)), ("act", nn.Softmax(dim=-1))]))

        def loss(x):
            return torch.log(net(x)).mean()  # error: [NL101]

        def other(x):
            return torch.log(named(x)).mean()  # error: [NL101]
        """,
    )


def test_a_sequential_is_built_in_init() -> None:
    check(
        TORCH,
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.main = nn.Sequential(nn.Linear(4, 2), nn.Sigmoid())

            def forward(self, x):
                return self.main(x)

        class Gan(nn.Module):
            def __init__(self):
                super().__init__()
                self.discriminator = Net()

            def loss(self, x):
                return -torch.log(self.discriminator(x)).mean()  # error: [NL102]

            def guarded(self, x):
                return -torch.log(self.discriminator(x) + 1e-6).mean()
        """,
    )


def test_a_list_of_modules_is_applied_in_a_loop() -> None:
    check(
        TORCH,
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([nn.ReLU() for _ in range(3)])

            def forward(self, x, y):
                for layer in self.layers:
                    y = layer(y)
                return x / y  # error: [NL303]

        class Guarded(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([nn.ReLU() for _ in range(3)])

            def forward(self, x, y):
                for layer in self.layers:
                    y = layer(y) + 1
                return x / y
        """,
    )


def test_a_dict_of_modules_is_applied_by_name() -> None:
    check(
        TORCH,
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.heads = nn.ModuleDict({"policy": nn.Softmax(dim=-1), "value": nn.Linear(4, 1)})

            def forward(self, x):
                return torch.log(self.heads["policy"](x)).mean()  # error: [NL101]

            def guarded(self, x):
                return torch.log(self.heads["policy"](x) + 1e-6).mean()
        """,
    )


def test_a_keras_sequential_ends_in_its_last_activation() -> None:
    check(
        KERAS,
        """
        model = keras.Sequential([layers.Dense(8, activation="relu"), layers.Dense(4, activation="softmax")])

        def loss(x, y):
            return -ops.sum(y * ops.log(model(x)))  # error: [NL101]

        def guarded(x, y):
            return -ops.sum(y * ops.log(ops.clip(model(x), 1e-7, 1.0)))
        """,
    )


def test_a_keras_sequential_grows_by_add() -> None:
    check(
        TF,
        """
        model = tf.keras.models.Sequential()
        model.add(tf.keras.layers.Dense(8))
        model.add(tf.keras.layers.Activation("softmax"))

        def loss(x, y):
            return -tf.reduce_sum(y * tf.math.log(model(x)))  # error: [NL101]

        def guarded(x, y):
            return -tf.reduce_sum(y * tf.math.log(model(x) + 1e-6))
        """,
    )


def test_a_keras_functional_model_gives_its_outputs() -> None:
    check(
        TF,
        """
        inputs = tf.keras.Input(shape=(8,))
        hidden = tf.keras.layers.Dense(8, activation=tf.nn.relu)(inputs)
        outputs = tf.keras.layers.Dense(4, activation=tf.nn.softmax)(hidden)
        model = tf.keras.Model(inputs=inputs, outputs=outputs)

        def loss(x, y):
            return -tf.reduce_sum(y * tf.math.log(model(x)))  # error: [NL101]

        def guarded(x, y):
            return -tf.reduce_sum(y * tf.math.log(tf.maximum(model(x), 1e-6)))
        """,
    )


def test_a_keras_model_subclass_is_called() -> None:
    check(
        TF,
        """
        class Net(tf.keras.Model):
            def __init__(self):
                super().__init__()
                self.dense = tf.keras.layers.Dense(4)
                self.soft = tf.keras.layers.Softmax()

            def call(self, inputs):
                return self.soft(self.dense(inputs))

        net = Net()

        def loss(x, y):
            return -tf.reduce_sum(y * tf.math.log(net(x)))  # error: [NL101]

        def guarded(x, y):
            return -tf.reduce_sum(y * tf.math.log(net(x, training=True) + 1e-6))
        """,
    )


def test_a_keras_layer_built_in_build_is_known() -> None:
    check(
        TF,
        """
        class Head(tf.keras.layers.Layer):
            def build(self, shape):
                self.soft = tf.keras.layers.Softmax()
                self.eps = 1e-6

            def call(self, inputs):
                return tf.math.log(self.soft(inputs))  # error: [NL101]

            def guarded(self, inputs):
                return tf.math.log(self.soft(inputs) + self.eps)
        """,
    )


def test_a_loss_given_to_compile_is_called_with_the_model_output() -> None:
    check(
        TF,
        """
        def cross_entropy(y_true, y_pred):
            return -tf.reduce_sum(y_true * tf.math.log(y_pred), axis=-1)  # error: [NL101]

        model = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="softmax")])
        model.compile(optimizer="adam", loss=cross_entropy)
        """,
    )


def test_a_loss_given_to_compile_may_guard() -> None:
    check(
        TF,
        """
        def cross_entropy(y_true, y_pred):
            return -tf.reduce_sum(y_true * tf.math.log(y_pred + 1e-7), axis=-1)

        model = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="softmax")])
        model.compile(optimizer="adam", loss=cross_entropy)
        """,
    )


# Branches


def test_branches_are_joined() -> None:
    check(
        TORCH,
        """
        def loss(x, flag):
            if flag:
                p = F.softmax(x, -1)
            else:
                p = x.exp() + 1
            return torch.log(p).mean()  # error: [NL101]

        def guarded(x, flag):
            if flag:
                p = F.softmax(x, -1) + 1e-6
            else:
                p = x.exp() + 1
            return torch.log(p).mean()
        """,
    )


def test_three_branches_are_joined() -> None:
    check(
        JAX,
        """
        def loss(x, mode):
            if mode == "relu":
                y = jax.nn.relu(x)
            elif mode == "exp":
                y = jnp.exp(x) + 1
            else:
                y = jax.nn.softplus(x) + 1
            return 1.0 / y  # error: [NL303]

        def guarded(x, mode):
            if mode == "relu":
                y = jax.nn.relu(x) + 1
            elif mode == "exp":
                y = jnp.exp(x) + 1
            else:
                y = jax.nn.softplus(x) + 1
            return 1.0 / y
        """,
    )


def test_a_branch_on_a_constant_is_decided() -> None:
    check(
        TORCH,
        """
        def _log(x, safe):
            if safe:
                x = x + 1e-6
            return torch.log(x)

        def guarded(logits):
            return _log(F.softmax(logits, -1), True)
        """,
    )


def test_a_condition_holds_inside_its_branch() -> None:
    check(
        TORCH,
        """
        def loss(x, y):
            n = F.relu(y).sum()
            if n >= 0:
                return x / n  # error: [NL301]
            return x

        def guarded(x, y):
            n = F.relu(y).sum()
            if n > 0:
                return x / n
            return x
        """,
    )


def test_an_early_return_guards_what_follows() -> None:
    check(
        TORCH,
        """
        def loss(x, mask):
            n = mask.sum()
            if n == 1:
                return x
            return (x * mask).sum() / n  # error: [NL301]

        def guarded(x, mask):
            n = mask.sum()
            if n == 0:
                return x.sum() * 0
            return (x * mask).sum() / n
        """,
    )


def test_a_raise_guards_what_follows() -> None:
    check(
        TORCH,
        """
        def guarded(x):
            weights = F.relu(x)
            total = weights.sum()
            if total <= 0:
                raise ValueError("no weight")
            return weights / total

        def share(x):
            weights = F.relu(x)
            total = weights.sum()
            if total < 0:
                raise ValueError("no weight")
            return weights / total  # error: [NL301]
        """,
    )


def test_an_assertion_guards_what_follows() -> None:
    check(
        TORCH,
        """
        def guarded(x, y):
            n = F.relu(y).sum()
            assert n > 0, "empty"
            return x / n

        def loss(x, y):
            n = F.relu(y).sum()
            assert n >= 0, "negative"
            return x / n  # error: [NL301]
        """,
    )


def test_a_continue_guards_the_rest_of_the_turn() -> None:
    check(
        TORCH,
        """
        def guarded(batches):
            total = 0.0
            for x, mask in batches:
                n = (mask > 0).sum()
                if n == 0:
                    continue
                total = total + (x * mask).sum() / n
            return total

        def loss(batches):
            total = 0.0
            for x, mask in batches:
                n = (mask > 0).sum()
                total = total + (x * mask).sum() / n  # error: [NL301]
            return total
        """,
    )


def test_conditions_join_with_and_and_or() -> None:
    check(
        TORCH,
        """
        def guarded(x, y, ready):
            n = F.relu(y).sum()
            if not ready or n == 0:
                return x
            return x / n

        def also(x, y, ready):
            n = F.relu(y).sum()
            if ready and n > 0:
                x = x / n
            return x

        def loss(x, y, ready):
            n = F.relu(y).sum()
            if ready or n > 0:
                x = x / n  # error: [NL301]
            return x
        """,
    )


def test_a_conditional_expression_is_a_join() -> None:
    check(
        TORCH,
        """
        def loss(x, flag):
            p = F.softmax(x, -1) if flag else x.exp() + 1
            return torch.log(p).mean()  # error: [NL101]

        def guarded(x, y):
            n = F.relu(y).sum()
            return x / n if n > 0 else x
        """,
    )


def test_or_replaces_a_zero() -> None:
    check(
        TORCH,
        """
        def guarded(x):
            weights = F.relu(x)
            total = weights.sum() or 1.0
            return weights / total

        def share(x):
            weights = F.relu(x)
            total = weights.sum() and 1.0
            return weights / weights.sum()  # error: [NL301]
        """,
    )


def test_or_gives_a_default_for_none() -> None:
    check(
        TORCH,
        """
        def guarded(logits, eps=None):
            eps = eps or 1e-6
            return torch.log(F.softmax(logits, -1) + eps).mean()

        def also(logits, eps=None):
            if eps is None:
                eps = 1e-6
            return torch.log(F.softmax(logits, -1) + eps).mean()
        """,
    )


def test_a_walrus_binds() -> None:
    check(
        TORCH,
        """
        def loss(x):
            return torch.log((p := F.softmax(x, -1))).mean() + p.sum()  # error: [NL101]

        def guarded(x, y):
            if (n := F.relu(y).sum()) > 0:
                return x / n
            return x
        """,
    )


def test_the_cases_of_a_match_are_joined() -> None:
    check(
        TORCH,
        """
        def loss(x, mode):
            match mode:
                case "relu":
                    y = F.relu(x)
                case "exp":
                    y = x.exp() + 1
                case _:
                    raise ValueError(mode)
            return 1.0 / y  # error: [NL303]

        def guarded(x, mode):
            match mode:
                case "relu":
                    y = F.relu(x) + 1
                case "exp":
                    y = x.exp() + 1
                case _:
                    raise ValueError(mode)
            return 1.0 / y
        """,
    )


def test_the_paths_through_a_try_are_joined() -> None:
    check(
        TORCH,
        """
        def loss(x):
            try:
                y = F.relu(x)
            except RuntimeError:
                y = x.exp() + 1
            finally:
                print("done")
            return 1.0 / y  # error: [NL303]

        def guarded(x):
            try:
                y = F.relu(x) + 1
            except RuntimeError:
                y = x.exp() + 1
            else:
                y = y * 2
            finally:
                print("done")
            return 1.0 / y
        """,
    )


def test_a_name_bound_on_one_path_keeps_its_value() -> None:
    check(
        TORCH,
        """
        def loss(x, flag):
            if flag:
                p = F.softmax(x, -1)
            if flag:
                return torch.log(p).mean()  # error: [NL101]
            return x

        def guarded(x, flag):
            if flag:
                p = F.softmax(x, -1) + 1e-6
            if flag:
                return torch.log(p).mean()
            return x
        """,
    )


# Loops


def test_a_loop_is_followed_to_its_fixpoint() -> None:
    check(
        TORCH,
        """
        def loss(x, n):
            y = x.exp() + 1
            for _ in range(n):
                y = F.relu(y - 1)
            return x / y  # error: [NL303]

        def guarded(x, n):
            y = x.exp() + 1
            for _ in range(n):
                y = F.relu(y - 1) + 1
            return x / y
        """,
    )


def test_a_sum_that_grows_in_a_loop_keeps_its_sign() -> None:
    check(
        TORCH,
        """
        def guarded(batches):
            total = 1.0
            for batch in batches:
                total = total + F.relu(batch).sum()
            return 1.0 / total
        """,
    )


def test_a_while_loop_ends_where_its_condition_fails() -> None:
    check(
        TORCH,
        """
        def guarded(x, y):
            y = F.relu(y).sum()
            while y <= 0:
                y = y + 0.5
            return x / y
        """,
    )


def test_the_hazard_inside_a_loop_is_at_its_line() -> None:
    check(
        TF,
        """
        def loss(batches):
            total = 0.0
            for logits, labels in batches:
                probs = tf.nn.softmax(logits)
                total += tf.reduce_sum(labels * tf.math.log(probs))  # error: [NL101]
            return total

        def guarded(batches):
            total = 0.0
            for logits, labels in batches:
                probs = tf.nn.softmax(logits) + 1e-6
                total += tf.reduce_sum(labels * tf.math.log(probs))
            return total
        """,
    )


def test_zip_and_enumerate_hand_on_their_elements() -> None:
    check(
        TORCH,
        """
        def loss(xs, ys):
            rectified = [F.relu(y) for y in ys]
            out = []
            for i, (x, y) in enumerate(zip(xs, rectified)):
                out.append(x / y)  # error: [NL303]
            return out

        def guarded(xs, ys):
            rectified = [F.relu(y) + 1 for y in ys]
            out = []
            for i, (x, y) in enumerate(zip(xs, rectified)):
                out.append(x / y)
            return out
        """,
    )


def test_what_is_appended_is_what_the_list_holds() -> None:
    check(
        TORCH,
        """
        def loss(xs):
            probs = []
            for x in xs:
                probs.append(F.softmax(x, -1))
            return torch.log(torch.stack(probs)).mean()  # error: [NL103]

        def guarded(xs):
            probs = []
            for x in xs:
                probs.append(F.softmax(x, -1) + 1e-6)
            return torch.log(torch.stack(probs)).mean()
        """,
    )


def test_an_else_of_a_loop_runs() -> None:
    check(
        TORCH,
        """
        def loss(xs, y):
            for x in xs:
                if x is None:
                    break
            else:
                y = F.relu(y)
                return 1.0 / y  # error: [NL303]
            return y
        """,
    )


# Comprehensions


def test_a_comprehension_is_a_loop() -> None:
    check(
        TORCH,
        """
        def loss(xs):
            return [torch.log(p) for p in [F.softmax(x, -1) for x in xs]]  # error: [NL101]

        def guarded(xs):
            return [torch.log(p) for p in [F.softmax(x, -1) + 1e-6 for x in xs]]
        """,
    )


def test_the_filter_of_a_comprehension_guards() -> None:
    check(
        TORCH,
        """
        def guarded(x, ys):
            return [x / n for n in [F.relu(y).sum() for y in ys] if n > 0]

        def loss(x, ys):
            return [x / n for n in [F.relu(y).sum() for y in ys] if n < 9]  # error: [NL301]
        """,
    )


def test_a_dict_comprehension_is_a_loop() -> None:
    check(
        TORCH,
        """
        def loss(xs):
            return {k: torch.log(F.softmax(x, -1)) for k, x in xs.items()}  # error: [NL101]

        def guarded(xs):
            return {k: torch.log(F.softmax(x, -1) + 1e-6) for k, x in xs.items()}
        """,
    )


def test_a_generator_expression_is_summed() -> None:
    check(
        TORCH,
        """
        def loss(xs):
            return sum(torch.log(F.softmax(x, -1)).mean() for x in xs)  # error: [NL101]

        def guarded(xs):
            return sum(torch.log(F.softmax(x, -1) + 1e-6).mean() for x in xs)
        """,
    )


# With regions


@pytest.mark.parametrize(
    ("imports", "context", "log", "softmax"),
    [
        (TORCH, "torch.no_grad()", "torch.log", "torch.softmax"),
        (TORCH, "torch.autograd.set_detect_anomaly(True)", "torch.log", "torch.softmax"),
        (TORCH, "torch.autocast('cuda', enabled=False)", "torch.log", "torch.softmax"),
        (TF, "tf.GradientTape() as tape", "tf.math.log", "tf.nn.softmax"),
        (TF, "tf.name_scope('loss')", "tf.math.log", "tf.nn.softmax"),
        (TF, "tf.device('/cpu:0'), tf.name_scope('loss')", "tf.math.log", "tf.nn.softmax"),
        (JAX, "jax.named_scope('loss')", "jnp.log", "jax.nn.softmax"),
    ],
)
def test_a_with_block_is_seen_through(imports: str, context: str, log: str, softmax: str) -> None:
    check(
        imports,
        f"""
        def loss(x):
            with {context}:
                p = {softmax}(x, -1)
            return {log}(p)  # error: [NL101]

        def guarded(x):
            with {context}:
                p = {softmax}(x, -1) + 1e-3
            return {log}(p)
        """,
    )


def test_nothing_in_a_no_grad_region_has_a_gradient() -> None:
    check(
        TORCH,
        """
        def distance(a, b):
            return torch.sqrt(((a - b) ** 2).sum())  # error: [NL201]

        def evaluate(a, b):
            with torch.no_grad():
                return torch.sqrt(((a - b) ** 2).sum())
        """,
    )


def test_errstate_says_that_numpy_divides_on_purpose() -> None:
    check(
        NUMPY,
        """
        from scipy.special import softmax

        def share(x):
            weights = softmax(x, -1)
            return x / weights  # error: [NL303]

        def deliberate(x):
            weights = softmax(x, -1)
            with np.errstate(divide="ignore", invalid="ignore"):
                return x / weights
        """,
    )


# Functions of functions


@pytest.mark.parametrize(
    ("imports", "mapped", "log", "softmax"),
    [
        (TORCH, "[p for p in map(lambda x: F.softmax(x, -1){floor}, xs)][0]", "torch.log", "F.softmax"),
        (TF, "tf.map_fn(lambda x: tf.nn.softmax(x){floor}, xs)", "tf.math.log", "tf.nn.softmax"),
        (TF, "tf.vectorized_map(lambda x: tf.nn.softmax(x){floor}, xs)", "tf.math.log", "tf.nn.softmax"),
        (JAX, "jax.lax.map(lambda x: jax.nn.softmax(x){floor}, xs)", "jnp.log", "jax.nn.softmax"),
        (JAX, "jax.vmap(lambda x: jax.nn.softmax(x){floor})(xs)", "jnp.log", "jax.nn.softmax"),
        (JAX, "jax.tree.map(lambda x: jax.nn.softmax(x){floor}, xs)", "jnp.log", "jax.nn.softmax"),
        (JAX, "jax.tree_util.tree_map(lambda x: jax.nn.softmax(x){floor}, (xs, xs))[1]", "jnp.log", "jax.nn.softmax"),
    ],
)
def test_a_function_mapped_over_elements_is_seen_through(imports: str, mapped: str, log: str, softmax: str) -> None:
    check(
        imports,
        f"""
        def loss(xs):
            return {log}({mapped.format(floor="")}).mean()  # error: [NL101]

        def guarded(xs):
            return {log}({mapped.format(floor=" + 1e-6")}).mean()
        """,
    )


def test_the_body_of_a_scan_sees_the_elements() -> None:
    check(
        JAX,
        """
        def loss(xs):
            probs = jax.nn.softmax(xs)

            def body(total, p):
                return total + jnp.log(p), p  # error: [NL101]

            return jax.lax.scan(body, 0.0, probs)

        def guarded(xs):
            probs = jax.nn.softmax(xs) + 1e-6

            def body(total, p):
                return total + jnp.log(p), p

            return jax.lax.scan(body, 0.0, probs)
        """,
    )


def test_the_variable_of_a_functional_loop_is_followed() -> None:
    check(
        JAX,
        """
        def loss(x, y):
            last = jax.lax.fori_loop(0, 9, lambda i, z: jax.nn.relu(z - x), jnp.exp(x) + 1)
            return y / last  # error: [NL303]

        def guarded(x, y):
            last = jax.lax.fori_loop(0, 9, lambda i, z: jax.nn.relu(z - x) + 1, jnp.exp(x) + 1)
            return y / last
        """,
    )


def test_a_conditional_function_runs_one_branch() -> None:
    check(
        TF,
        """
        def loss(x, y):
            n = tf.reduce_sum(tf.nn.relu(y))
            return tf.cond(n >= 0, lambda: x / n, lambda: x)  # error: [NL301]

        def guarded(x, y):
            n = tf.reduce_sum(tf.nn.relu(y))
            return tf.cond(n > 0, lambda: x / n, lambda: x)
        """,
    )


def test_a_checkpointed_function_is_called() -> None:
    check(
        TORCH,
        """
        from torch.utils.checkpoint import checkpoint

        def soft(x, eps):
            return F.softmax(x, -1) + eps

        def loss(x):
            return torch.log(checkpoint(soft, x, 1e-50, use_reentrant=False))  # error: [NL103]

        def guarded(x):
            return torch.log(checkpoint(soft, x, 1e-6, use_reentrant=False))
        """,
    )


def test_a_decorator_may_be_called_like_a_function() -> None:
    check(
        TORCH,
        """
        def soft(x):
            return F.softmax(x, -1)

        quiet, fast = torch.no_grad()(soft), torch.compile(soft)

        def loss(x):
            return torch.log(quiet(x)).mean()  # error: [NL101]

        def also(x):
            return torch.log(fast(x)).mean()  # error: [NL101]

        def guarded(x):
            return torch.log(quiet(x) + 1e-6).mean() + torch.log(fast(x) + 1e-6).mean()
        """,
    )


def test_a_context_manager_of_this_file_yields_its_value() -> None:
    check(
        TORCH,
        """
        from contextlib import contextmanager

        @contextmanager
        def probabilities(x, eps=0):
            print("enter")
            yield F.softmax(x, -1) + eps
            print("leave")

        def loss(x):
            with probabilities(x) as p:
                return torch.log(p).mean()  # error: [NL103]

        def guarded(x):
            with probabilities(x, 1e-6) as p:
                return torch.log(p).mean()
        """,
    )


def test_an_autograd_function_applies_its_forward() -> None:
    check(
        TORCH,
        """
        class Soft(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return F.softmax(x, -1)

            @staticmethod
            def backward(ctx, gradient):
                return gradient

        def loss(x):
            return torch.log(Soft.apply(x)).mean()  # error: [NL101]

        def guarded(x):
            return torch.log(Soft.apply(x) + 1e-6).mean()
        """,
    )


# Containers


def test_lists_are_spread_into_lists_and_dicts_into_dicts() -> None:
    check(
        TORCH,
        """
        def loss(x):
            first = [F.softmax(x, -1)]
            both = [*first, x]
            return torch.log(both[0]).mean()  # error: [NL101]

        def also(x):
            first = {"p": F.softmax(x, -1)}
            both = {"logits": x, **first}
            return torch.log(both["p"]).mean()  # error: [NL101]

        def guarded(x):
            first = [F.softmax(x, -1) + 1e-6]
            both = {"all": [*first, x], **{"p": first[0]}}
            return torch.log(both["all"][0]).mean() + torch.log(both["p"]).mean()
        """,
    )


def test_the_dict_a_helper_returns_is_read() -> None:
    check(
        TORCH,
        """
        def forward(x):
            return {"logits": x, "probs": F.softmax(x, -1)}

        def loss(x):
            return torch.log(forward(x)["probs"]).mean()  # error: [NL101]

        def also(x):
            return torch.log(forward(x).get("probs")).mean()  # error: [NL101]

        def guarded(x):
            out = forward(x)
            out["probs"] = out["probs"] + 1e-6
            return torch.log(out["probs"]).mean()
        """,
    )


def test_the_entries_of_a_dict_are_looped_over() -> None:
    check(
        TORCH,
        """
        def loss(x, y):
            for name, z in {"a": F.relu(x), "b": F.softplus(y) + 1}.items():
                print(name, 1 / z)  # error: [NL303]

        def guarded(x, y):
            for z in {"a": F.relu(x) + 1, "b": F.softplus(y) + 1}.values():
                print(1 / z)
        """,
    )


def test_a_named_tuple_is_unpacked() -> None:
    check(
        TORCH,
        """
        from collections import namedtuple

        Outputs = namedtuple("Outputs", "logits probs")

        def forward(x):
            return Outputs(x, probs=F.softmax(x, -1))

        def loss(x):
            logits, p = forward(x)
            return torch.log(p).mean()  # error: [NL101]

        def guarded(x):
            logits, p = forward(x)
            return torch.log(p + 1e-6).mean()
        """,
    )


def test_layers_that_are_collected_in_a_loop_end_in_the_last() -> None:
    check(
        TORCH,
        """
        class Net(nn.Module):
            def __init__(self, sizes):
                super().__init__()
                layers = []
                for a, b in sizes:
                    layers += [nn.Linear(a, b), nn.ReLU()]
                layers.append(nn.Softmax(dim=-1))
                self.net = nn.Sequential(*layers)

            def forward(self, x):
                return torch.log(self.net(x)).mean()  # error: [NL101]

            def guarded(self, x):
                return torch.log(self.net(x) + 1e-6).mean()
        """,
    )


# Models wrapped and moved


@pytest.mark.parametrize(
    "model",
    [
        "Net()",
        "Net().to('cuda')",
        "Net().cuda().eval()",
        "nn.DataParallel(Net())",
        "nn.parallel.DistributedDataParallel(Net().cuda(), device_ids=[0])",
        "torch.compile(Net())",
        "torch.jit.script(Net())",
        "copy.deepcopy(Net())",
    ],
)
def test_a_model_that_is_wrapped_or_moved_is_the_model(model: str) -> None:
    check(
        TORCH,
        "import copy",
        f"""
        class Net(nn.Module):
            def forward(self, x):
                return F.softmax(x, dim=1)

        model = {model}

        def loss(x, y):
            return -(y * torch.log(model(x))).sum()  # error: [NL101]

        def guarded(x, y):
            return -(y * torch.log(model(x) + 1e-6)).sum()
        """,
    )


def test_a_method_calls_the_one_it_overrides() -> None:
    check(
        TORCH,
        """
        class Base(nn.Module):
            def forward(self, x):
                return F.softmax(x, -1)

        class Loss(Base):
            def forward(self, x):
                return torch.log(super().forward(x)).mean()  # error: [NL101]

        class Guarded(Base):
            def forward(self, x):
                return torch.log(super().forward(x) + 1e-6).mean()
        """,
    )


def test_a_lambda_layer_is_its_function() -> None:
    check(
        TF,
        """
        soft = tf.keras.layers.Lambda(lambda x: tf.nn.softmax(x))

        def loss(x):
            return tf.reduce_mean(tf.math.log(soft(x)))  # error: [NL101]

        def guarded(x):
            return tf.reduce_mean(tf.math.log(soft(x) + 1e-6))
        """,
    )


def test_the_fields_of_a_flax_module_have_their_defaults() -> None:
    check(
        JAX,
        """
        from flax import linen as nn

        class Head(nn.Module):
            features: int
            eps: float = 1e-6

            @nn.compact
            def __call__(self, x):
                x = nn.Dense(self.features)(x)
                return jnp.log(nn.softmax(x) + self.eps)

        class Bare(nn.Module):
            @nn.compact
            def __call__(self, x):
                return jnp.log(nn.softmax(nn.Dense(3)(x)))  # error: [NL101]
        """,
    )


def test_the_guard_of_a_case_guards() -> None:
    check(
        TORCH,
        """
        def guarded(x, y):
            match F.relu(y).sum():
                case n if n > 0:
                    return x / n
                case _:
                    return x

        def loss(x, y):
            match F.relu(y).sum():
                case n if n < 9:
                    return x / n  # error: [NL301]
                case _:
                    return x
        """,
    )


def test_a_match_that_leaves_no_way_past_it_binds() -> None:
    check(
        TORCH,
        """
        def guarded(x, mode):
            y = F.relu(x)
            match mode:
                case "exp":
                    y = F.softplus(x) + 1
                case _:
                    y = y + 1
            return 1 / y

        def loss(x, mode):
            y = F.relu(x)
            match mode:
                case "exp":
                    y = F.softplus(x) + 1
            return 1 / y  # error: [NL303]
        """,
    )


# Module level


def test_statements_of_the_module_are_a_program() -> None:
    check(
        TORCH,
        """
        x = torch.randn(3, 4)
        probs = F.softmax(x, -1)
        loss = -torch.log(probs).mean()  # error: [NL101]
        safe = -torch.log(probs + 1e-6).mean()
        """,
    )


def test_a_main_guard_is_entered() -> None:
    check(
        TORCH,
        """
        def main():
            x = torch.randn(3, 4)
            return torch.log(F.softmax(x, -1)).mean()  # error: [NL101]

        if __name__ == "__main__":
            main()
        """,
    )


def test_a_private_helper_is_known_by_its_calls_only() -> None:
    check(
        TORCH,
        """
        def _ratio(x, probs):
            return (x * torch.log(probs)).sum()

        def loss(x):
            return _ratio(x, F.softmax(x, -1) + 1e-6)
        """,
    )


def test_one_hazard_met_through_several_calls_is_told_once() -> None:
    source = program(
        TORCH,
        """
        def _log(p):
            return torch.log(p)

        def a(x):
            return _log(F.softmax(x, -1))

        def b(x):
            return _log(F.softmax(x, 0))
        """,
    )
    assert findings(source) == [(source[: source.index("torch.log")].count(chr(10)) + 1, "NL101")]


def test_a_file_of_deep_nesting_is_checked() -> None:
    deep = "x" + " + 1" * 900
    source = program(TORCH, f"def loss(x):\n    return torch.log(F.relu({deep})).mean()  # error: [NL103]\n")
    check(source)


# Contracts of distributions


def test_a_distribution_s_parameters_and_values_keep_the_constraints_it_declares() -> None:
    check(
        """
        import torch
        from torch.distributions import constraints
        from torch.distributions.utils import broadcast_all

        class Edge(torch.distributions.Distribution):
            arg_constraints = {"a": constraints.positive, "p": constraints.unit_interval}
            support = constraints.unit_interval

            def __init__(self, a, p):
                self.a, self.p = broadcast_all(a, p)
                super().__init__()

            def entropy(self):
                return self.a.log() - self.p * self.p.log()  # error: [NL104]

            def log_prob(self, value):
                return (self.a - 1) * value.log()  # error: [NL104]

        class Inside(Edge):
            support = constraints.positive

            def log_prob(self, value):
                return (self.a - 1) * value.log()
        """
    )


def test_a_field_of_finfo_is_the_number_it_is() -> None:
    check(
        TORCH,
        """
        def below(x):
            least = torch.finfo(torch.float32).min
            return torch.log(torch.relu(x).clamp(min=least))  # error: [NL103]

        def above(x):
            return torch.log(torch.relu(x).clamp(min=torch.finfo(x.dtype).tiny))

        def floored_by_the_lowest_number(x):
            return torch.log(torch.relu(x).clamp(min=torch.finfo(x.dtype).min))  # error: [NL103]

        def finite(x):
            return torch.exp(x.clamp(max=math.log(torch.finfo(torch.float32).max)))
        """,
    )


def test_python_s_own_exponential_raises_where_others_overflow() -> None:
    check(
        "import math\n" + TORCH,
        """
        def ratio(t):
            odds = math.exp(t)
            return odds / (1 + odds)
        """,
    )


def test_what_one_method_leaves_on_its_object_meets_another_only_where_that_is_called() -> None:
    votes = """
        class Votes:
            def __init__(self, scale):
                self.rate = 1 / scale
                self.voters = 0

            def fit(self, data):
                self.voters = len(data) + 1

            def shares(self, votes):
                return votes / (np.ones(3) * self.voters){mark}

            def largest(self, votes):
                return self.shares(votes).max()
        """
    reset = """
            def reset(self, votes):
                self.voters = 0
                return self.shares(votes)
        """
    check(NUMPY, votes.format(mark=""))
    check(NUMPY, votes.format(mark="  # error: [NL303]") + reset)


def test_what_decorators_make_of_a_function_that_raises_may_return() -> None:
    program = """
        import functools

        {decorator}
        def network(kind):
            raise TypeError(kind)

        def entropy(kind, x):
            network(kind)
            return torch.log(torch.softmax(x, -1)){mark}
        """
    check(TORCH, program.format(decorator="@functools.singledispatch", mark="  # error: [NL101]"))
    check(TORCH, program.format(decorator="", mark=""))


def test_what_a_constructor_chooses_is_one_of_its_choices_until_another_method_stores_to_it() -> None:
    program = """
        class Entropy:
            def __init__(self, sharp):
                if sharp:
                    self.share = self.one
                else:
                    self.share = self.other

            def one(self, x):
                return {one}

            def other(self, x):
                return {one}

            def loss(self, x):
                return torch.log(self.share(x)){mark}
        """
    changed = """
            def take(self, share):
                self.share = share
        """
    check(TORCH, program.format(one="torch.softmax(x, -1)", mark="  # error: [NL101]"))
    check(TORCH, program.format(one="torch.softmax(x, -1) + 1e-6", mark=""))
    check(TORCH, program.format(one="torch.softmax(x, -1)", mark="") + changed)


def test_a_state_that_a_method_fills_through_another_name_is_no_zero() -> None:
    check(
        TORCH,
        """
        class Normalizer:
            def __call__(self, x):
                self._start(x)
                self._update(x)
                return x / self._scale()

            def _start(self, x):
                self._count = torch.zeros(1)
                self._variance = torch.zeros(3)

            def _update(self, x):
                count = self._count
                variance = self._variance if x.ndim else self._variance
                count += len(x)
                variance.lerp_(x.var(0), 0.1)

            def _scale(self):
                return (self._variance * self._count).sqrt()
        """,
    )
    check(
        TORCH,
        """
        class Forgetful:
            def __call__(self, x):
                self._start(x)
                return x / self._scale()  # error: [NL303]

            def _start(self, x):
                self._variance = torch.zeros(3)

            def _scale(self):
                return self._variance.sqrt()
        """,
    )
