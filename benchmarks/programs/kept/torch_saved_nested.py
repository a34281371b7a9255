"""A checkpoint holds statistics of the data two levels deep."""

import sys

import torch

torch.manual_seed(0)
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.Adam(model.parameters())
x = torch.randn(8, 3)
if "bad" in sys.argv:
    x[:, 1] = 0
for _ in range(2):
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def checkpoint(path):
    with torch.no_grad():
        scale = 1 / x.std(0)
    torch.save({"model": model.state_dict(), "data": {"columns": [{"scale": scale}], "rows": len(x)}}, path)


checkpoint("model.pt")
print(loss.item())
