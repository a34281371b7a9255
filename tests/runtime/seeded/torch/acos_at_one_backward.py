"""The angle between a direction and itself: the slope of acos at 1 is infinite."""

import torch

cosines = torch.tensor([0.0, 0.5, 1.0], requires_grad=True)
angles = torch.acos(cosines)  # born
angles.sum().backward()
print(cosines.grad)
