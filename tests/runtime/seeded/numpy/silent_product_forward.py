"""The energy of a strong signal: its square overflows inside BLAS, which raises no flag."""

import numpy as np

signal = np.array([3e200, 4e200])
energy = np.vdot(signal, signal)  # born
print(signal / energy)
