"""A classifier with its loss written out, some steps of training."""

import torch
import torch.nn.functional as F
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3))

    def forward(self, x):
        return F.softmax(self.body(x), dim=-1)


def cross_entropy(p, labels):
    return -torch.log(p[torch.arange(len(labels)), labels]).mean()


def main():
    torch.manual_seed(6)
    model = Classifier()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    x, labels = torch.randn(20, 5), torch.randint(0, 3, (20,))
    losses = []
    for _ in range(5):
        p = model(x)
        loss = cross_entropy(p, labels) + F.nll_loss(torch.log(p), labels)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.detach())
    return torch.stack(losses), model(x).detach()
