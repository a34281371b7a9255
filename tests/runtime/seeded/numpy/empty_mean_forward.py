"""The mean loss of the examples of a class that the batch has none of."""

import numpy as np

labels = np.array([0, 1, 1, 0])
losses = np.array([0.3, 0.9, 0.2, 0.5])
for label in range(3):
    chosen = losses[labels == label]
    print(label, chosen.sum() / np.float64(len(chosen)))  # born
