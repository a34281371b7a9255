"""A loss scaler skips the step whose scaled gradient overflows; clean."""

import torch

weight = torch.nn.Parameter(torch.ones(4))
optimizer = torch.optim.SGD([weight], lr=0.01)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**120)
for step in range(4):
    optimizer.zero_grad()
    loss = (weight * torch.full((4,), 1e4)).sum()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update(2.0**10)
assert torch.isfinite(weight).all()
