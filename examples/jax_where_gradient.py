"""An inverse-distance potential in JAX, guarded by `where` on the outside.

The energy is right; the force on a particle that sits on the centre is NaN.
"""

import jax
import jax.numpy as jnp

CHARGE = 2.0


def energy(distances):
    potential = jnp.where(distances > 0, CHARGE / distances, 0.0)
    return jnp.sum(potential)


force = jax.jit(jax.grad(energy))


def main(steps=5):
    distances = jnp.array([0.0, 0.5, 1.0, 2.0])
    print("energy", energy(distances))
    for step in range(steps):
        distances = distances - 0.01 * force(distances)
        print("step", step, "distances", distances)
    return distances


if __name__ == "__main__":
    main()
