import jax
import jax.numpy as jnp


def network(params, x):
    hidden = jnp.tanh(x @ params["w"])
    return hidden @ params["mean"], hidden @ params["log_var"]


def loss(params, x):
    mean, log_var = network(params, x)
    return 0.5 * jnp.mean(jnp.exp(log_var) + mean**2 - 1.0 - log_var)


def run(scale):
    params = {
        "w": jnp.array([[0.5, -0.25], [0.25, 1.0]]),
        "mean": jnp.array([[0.5], [0.25]]),
        "log_var": scale * jnp.array([[0.5], [1.0]]),
    }
    value, slopes = jax.value_and_grad(loss)(params, jnp.array([[1.0, 2.0], [0.5, -1.0]]))
    return value, slopes["log_var"], slopes["w"] / scale


def ordinary():
    return run(1.0), run(4.0)


def witness():
    return run(150.0)
