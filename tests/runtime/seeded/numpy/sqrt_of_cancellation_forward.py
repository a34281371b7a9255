"""A variance as the mean square less the squared mean: negative by rounding."""

import numpy as np

sample = np.full(3, 0.1) + 1e4
variance = (sample**2).mean() - sample.mean() ** 2
sample = sample + 0.7
while variance >= 0:
    sample = sample * 1.37
    variance = (sample**2).mean() - sample.mean() ** 2
deviation = np.sqrt(variance)  # born
print(deviation > 0)
