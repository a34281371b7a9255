"""The loss is fine; the perplexity that is printed overflows."""

import sys

import torch

torch.manual_seed(0)
weight = torch.randn(4, 1, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=1e-6)
size = 1000 if "bad" in sys.argv else 1
for step in range(3):
    loss = ((torch.ones(8, 4) * size) @ weight - 5).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}: loss {loss.item():.4f}, perplexity {torch.exp(loss.detach()).item():.2f}")
