"""Rows that are masked whole give nan, which is cleaned; clean."""

import torch

scores = torch.nn.Parameter(torch.randn(4, 4))
optimizer = torch.optim.SGD([scores], lr=0.1)
mask = torch.ones(4, 4, dtype=torch.bool).tril(-1)
for _ in range(3):
    weights = torch.nan_to_num(torch.softmax(scores.detach().masked_fill(~mask, -torch.inf), -1))
    loss = ((weights - scores) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
