"""A policy with an entropy bonus, p * log(p), in PyTorch.

As soon as one probability underflows, the bonus is 0 * -inf.
"""

import torch
from torch import nn


def entropy(probs):
    return -(probs * torch.log(probs)).sum(dim=-1)


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 3))

    def forward(self, state):
        return torch.softmax(self.net(state), dim=-1)


def main(steps=100):
    torch.manual_seed(0)
    actor = Actor()
    optimizer = torch.optim.Adam(actor.parameters(), lr=0.05)
    states = 10 * torch.randn(64, 4)
    returns = torch.stack([states[:, 0], -states[:, 0], states[:, 1]], dim=-1)
    loss = torch.zeros(())
    for step in range(steps):
        probs = actor(states)
        loss = -(probs * returns).sum(dim=-1).mean() - 0.01 * entropy(probs).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 0:
            print(f"step {step:3d}  loss {loss.item():.4f}")
    return loss.item()


if __name__ == "__main__":
    main()
