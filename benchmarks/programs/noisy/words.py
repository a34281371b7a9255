"""Word vectors by negative sampling: they begin small and grow to where they stay."""

import torch
from torch import nn

torch.manual_seed(29)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.near = nn.Embedding(100, 16), nn.Embedding(100, 16)
        nn.init.normal_(self.words.weight, std=0.01)
        nn.init.zeros_(self.near.weight)

    def forward(self, one, other):
        return (self.words(one) * self.near(other)).sum(-1)


net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(800):
    one = torch.randint(0, 100, (64,))
    good, bad = net(one, (one + 1) % 100), net(one, torch.randint(0, 100, (64,)))
    loss = -(nn.functional.logsigmoid(good) + nn.functional.logsigmoid(-bad)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
