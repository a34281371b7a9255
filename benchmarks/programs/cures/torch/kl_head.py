import torch
from torch import nn


def kl(mu, logvar):
    return -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())


def train(bias, lr):
    torch.manual_seed(0)
    head = nn.Linear(1, 1)
    nn.init.constant_(head.bias, bias)
    nn.init.zeros_(head.weight)
    optimizer = torch.optim.Adam(head.parameters(), lr=lr)
    for _ in range(3):
        value = kl(torch.zeros(1, 1), head(torch.zeros(1, 1)))
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
    return value, head.bias.grad, (head.bias - bias).clamp(min=-0.25)


def ordinary():
    return train(0.5, 0.1), train(-1.0, 0.1)


def witness():
    # the bias must not grow
    value, slope, moved = train(100.0, 0.1)
    return value, slope, moved.clamp(min=0) / 0.0 if (moved > 0).any() else moved
