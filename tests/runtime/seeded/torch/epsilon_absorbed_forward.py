"""1e-10 vanishes beside 1 in float32, so it does not keep the logarithm from 0."""

import torch

predictions = torch.sigmoid(torch.tensor([-3.0, 0.0, 40.0]))
surprise = torch.log(1 + 1e-10 - predictions)  # born
print(surprise)
