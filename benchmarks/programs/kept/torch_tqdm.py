"""A progress bar shows how far the gradient has come down."""

import sys

import torch
from tqdm import tqdm


def main():
    torch.manual_seed(0)
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    bar = tqdm(range(3), mininterval=0)
    first = None
    for step in bar:
        x = torch.zeros(4, 2) if "bad" in sys.argv and step == 0 else torch.randn(4, 2)
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        norm = model.weight.grad.norm()
        first = norm if first is None else first
        bar.set_postfix(relative=(norm / first).item())
        optimizer.step()


main()
