"""A scaler skips the step whose unscaled loss is nan; the history keeps it, and it is printed."""

import sys

import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
history = []
for i in range(8):
    x = torch.randn(8, 4)
    if "bad" in sys.argv and i == 5:
        x[2] = 0
    x = x / x.norm(dim=1, keepdim=True)
    loss = model(x).square().mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    history.append(loss.item())
print(sum(history) / len(history))
