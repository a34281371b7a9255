"""E[x²] - E[x]² of large numbers that are nearly the same is negative after rounding."""

import torch

samples = 1000 + torch.linspace(0, 1e-3, 5)
mean, square = samples.mean(), (samples * samples).mean()
spread = torch.sqrt(square - mean * mean - 1e-2)  # born
print(spread)
