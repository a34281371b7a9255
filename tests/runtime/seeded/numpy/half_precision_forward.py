"""A sum of squares in half precision, whose greatest number is 65504."""

import numpy as np

activations = np.linspace(1, 300, 8, dtype=np.float16)
for _ in range(3):
    squares = activations * activations  # born
    activations = activations * np.float16(0.5)
print(squares.dtype)
