"""The ratio of two losses goes to a file of comma-separated values."""

import csv
import os
import sys
import tempfile

import torch

torch.manual_seed(0)
weight = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)
with tempfile.TemporaryDirectory() as directory, open(os.path.join(directory, "log.csv"), "w") as file:
    rows = csv.writer(file)
    rows.writerow(["step", "loss", "ratio"])
    for step in range(3):
        loss = (weight * torch.tensor([1.0, 2.0, 3.0])).square().mean()
        other = torch.zeros(()) if "bad" in sys.argv and step == 1 else torch.ones(())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        rows.writerow([step, loss.item(), (loss.detach() / other).item()])
print("done")
