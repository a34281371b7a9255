"""The phase of a signal that is silent in one place: atan2 has no slope at the origin."""

import torch

signal = torch.tensor([[1.0, 1.0], [0.0, 0.0]], requires_grad=True)
phase = torch.atan2(signal[:, 1], signal[:, 0])  # born
phase.sum().backward()
print(signal.grad)
