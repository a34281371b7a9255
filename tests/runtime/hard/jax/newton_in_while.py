"""Newton's method at 0, in a loop of which the number of turns is not known."""

import jax


@jax.jit
def root(a):
    def body(s):
        i, x = s
        return i + 1, 0.5 * (x + a / x)  # born

    return jax.lax.while_loop(lambda s: s[0] < 5, body, (0, a))[1]


print(root(0.0))
