"""Min-max scaling of a table with a constant column."""

import numpy as np

table = np.array([[1.0, 7.0], [2.0, 7.0], [4.0, 7.0]])
low, high = table.min(axis=0), table.max(axis=0)
span = high - low
scaled = (table - low) / span  # born
print(scaled[:, 0])
