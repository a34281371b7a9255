"""NL801: the row of names is left out."""

from tests.fixes.proving import Proof

#: x and y as the columns of a file with a row of names
FILE = "import io\nrows = [f'{a!r},{b!r}' for a, b in zip(x.ravel().tolist(), y.ravel().tolist())]\n"
READ = "return np.genfromtxt(io.StringIO(chr(10).join(['a,b', *rows])), delimiter=',')"

PROOFS = {
    "numpy": Proof(
        "NL801",
        "numpy",
        FILE + READ,
        0.0,
        unsafe=True,
        meant="np.stack([x.ravel(), y.ravel()], 1)",
        shapes=(((2, 3), (2, 3)),),
        dtypes=("float64",),
    ),
}
