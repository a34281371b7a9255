import jax
import jax.numpy as jnp


class Slider:
    def __init__(self, mu=0.5):
        self.mu = mu

    def force(self, velocity):
        speed = jnp.linalg.norm(velocity)
        return -self.mu * velocity / jnp.where(speed == 0, 1.0, speed)


def travel(velocity):
    position = jnp.zeros(2)
    for _ in range(3):
        velocity = velocity + 0.1 * Slider().force(velocity)
        position = position + 0.1 * velocity
    return jnp.sum(position**2) + position[0]


def run(v):
    v = jnp.array(v)
    return travel(v), jax.grad(travel)(v)


def ordinary():
    return run([0.5, 0.25]), Slider().force(jnp.zeros(2))


def witness():
    return run([0.0, 0.0])
