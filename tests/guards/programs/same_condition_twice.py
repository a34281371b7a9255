"""The same condition is asked twice: what is bad is made on one side, and divided on the other."""

# --- torch: a flag, with attributes set under it
import torch


class Running:
    def update(self, x, mask):
        first = not hasattr(self, "mean")
        if first:
            self.mean = x.mean(0)
            self.count = mask.sum()
        if not first:  # guard: else if x is not None:
            self.mean = self.mean / self.count
        return self.mean


# runs: Running().update(torch.zeros(2, 1), torch.zeros(2))

# --- torch: a variable of the function
import torch


def moving(x, mask, start=None):
    fresh = start is None
    if fresh:
        count = mask.sum()
    else:
        count = start.abs().sum() + 1
    if fresh:  # guard
        return x  # guard
    return x / count


# runs: moving(torch.zeros(3), torch.zeros(3))

# --- numpy: tested in the other sense
import numpy as np


def rate(hits, labels, everything):
    if everything:
        n = np.float64(len(labels) + 1)
    else:
        n = (labels == 1).sum(axis=0)
    if not everything:  # guard
        return hits  # guard
    return hits / n


# runs: rate(np.zeros(3), np.zeros((2, 3)), False)

# --- torch: the condition is written out again
import torch


def pooled(x, mask, mode):
    if mode == "mean":
        n = mask.float().sum().clamp(min=1)
    else:
        n = mask.float().sum()
    if mode == "mean":  # guard: else if x is not None:
        return x.sum() / n
    return x.sum()


# runs: pooled(torch.zeros(3), torch.zeros(3), "sum")

# --- numpy: written the other way round
import numpy as np


def pooled(x, mask, mode):
    n = mask.sum()
    if mode != "sum":
        n = max(n, 1)
    if mode == "sum":  # guard
        return x.sum()  # guard
    return x.sum() / n


# runs: pooled(np.zeros(3), np.zeros(3), "sum")

# --- jax: a flag that is passed to a helper
import jax.numpy as jnp


def total_of(mask, floored):
    n = mask.sum()
    if floored:
        n = jnp.maximum(n, 1)
    return n


def pooled(x, mask, floored):
    n = total_of(mask, floored)
    if not floored:  # guard
        return (x * mask).sum()  # guard
    return (x * mask).sum() / n


# runs: pooled(jnp.ones(3), jnp.zeros(3), False)

# --- torch: something is computed in between
import torch


def pooled(x, mask, floored):
    n = mask.sum()
    if floored:
        n = n.clamp(min=1)
    scale = n * 2.0
    if floored:  # guard: else if x is not None:
        return x.sum() / scale
    return x.sum()


# runs: pooled(torch.zeros(3), torch.zeros(3), False)

# --- jax: a sum that is dropped where its count is 0, and its gradient with it
import jax
import jax.numpy as jnp


def averaged(x, weights):
    count = jnp.sum(jax.lax.stop_gradient(weights), axis=1)
    total = jnp.sum(x * jax.lax.stop_gradient(weights), axis=1)
    total = jnp.where(count == 0, 0.0, total)  # guard
    return jnp.sum(jnp.where(count == 0, 0.0, total / count))


# runs: jax.grad(averaged)(jnp.ones((2, 3)), jnp.zeros((2, 3)))

# --- torch: a sum that is dropped where its count is 0, and its gradient with it
import torch


def averaged(x, weights):
    count, total = weights.detach().sum(1), (x * weights.detach()).sum(1)
    total = torch.where(count == 0, torch.zeros_like(total), total)  # guard
    return torch.where(count == 0, torch.zeros_like(total), total / count).sum()


# runs: torch.func.grad(averaged)(torch.ones(2, 3), torch.zeros(2, 3))
