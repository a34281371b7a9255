"""A copy of the model is averaged by hand, with a decay that the first step divides by."""

import copy
import sys

import torch


def main():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    average = copy.deepcopy(model).requires_grad_(False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        loss = model(torch.randn(4, 3)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        part = 1 / torch.tensor(float(step if "bad" in sys.argv else step + 1))
        with torch.no_grad():
            for old, new in zip(average.parameters(), model.parameters()):
                old.mul_(1 - part).add_(part * new)
    return average


average = main()
print(sum(p.numel() for p in average.parameters()))
