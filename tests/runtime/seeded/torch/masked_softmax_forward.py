"""Attention of a query that may look at no key: a row of -inf has no softmax."""

import torch

scores = torch.zeros(2, 3)
allowed = torch.tensor([[True, True, False], [False, False, False]])
scores = scores.masked_fill(~allowed, float("-inf"))
weights = torch.softmax(scores, dim=-1)  # born
print(weights @ torch.ones(3, 2))
