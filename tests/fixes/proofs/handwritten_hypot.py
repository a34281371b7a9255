"""NL407."""

from tests.fixes.proving import Proof

LENGTHS = (-100.0, 100.0, (1.0, -1.0, 3.0, 0.125))
PROOFS = {
    "torch": Proof(
        "NL407",
        "torch",
        "return torch.sqrt(torch.square(x) + torch.square(y))",
        3e20,
        LENGTHS,
        bad_y=1.0,
        everywhere=True,
        remains="slope",
    ),
    "torch-method": Proof(
        "NL407",
        "torch",
        "return x.pow(2).add(y.pow(2)).sqrt()",
        3e20,
        LENGTHS,
        bad_y=1.0,
        everywhere=True,
        remains="slope",
    ),
    "torch-power": Proof(
        "NL407",
        "torch",
        "a, b = torch.sinh(x / 1e3), torch.asinh(y)\nreturn (a**2 + b * b) ** 0.5",
        None,
        LENGTHS,
        bad_y=1.0,
        everywhere=True,
        remains="slope",
    ),
    "jax": Proof(
        "NL407", "jax", "return jnp.sqrt(x**2 + y**2)", 3e20, LENGTHS, bad_y=1.0, everywhere=True, remains="slope"
    ),
    "jax-square": Proof(
        "NL407",
        "jax",
        "return jnp.sqrt(jnp.square(x) + y * y)",
        3e20,
        LENGTHS,
        bad_y=1.0,
        everywhere=True,
        remains="slope",
    ),
    "numpy": Proof(
        "NL407", "numpy", "return np.sqrt(x**2 + y**2)", 3e20, LENGTHS, bad_y=1.0, everywhere=True, remains="slope"
    ),
    "numpy-power": Proof(
        "NL407",
        "numpy",
        "return (np.square(x) + y * y) ** 0.5",
        3e20,
        LENGTHS,
        bad_y=1.0,
        everywhere=True,
        remains="slope",
    ),
}
