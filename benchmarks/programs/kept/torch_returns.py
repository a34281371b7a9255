"""Rewards are normalized by hand without a graph, where all are equal."""

import sys

import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(4, 2)
optimizer = torch.optim.Adam(policy.parameters())
rewards = torch.ones(5) if "bad" in sys.argv else torch.arange(5.0)
with torch.no_grad():
    returns = (rewards - rewards.mean()) / rewards.std()
probabilities = torch.softmax(policy(torch.randn(5, 4)), -1)
loss = -(torch.log(probabilities + 1e-6)[:, 0] * returns.nan_to_num()).mean()
optimizer.zero_grad()
loss.backward()
optimizer.step()
print("advantages", returns.tolist())
