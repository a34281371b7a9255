"""The angle between a vector and itself: the cosine is 1 and a rounding error more."""

import numpy as np

angles = []
for k in range(1, 60):
    v = np.array([0.1, 0.2, 0.3]) * k
    cosine = (v / np.sqrt(v @ v)) @ (v / np.sqrt(v @ v))
    angles.append(np.arccos(cosine))  # born
print(len(angles))
