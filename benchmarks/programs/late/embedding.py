"""Pairs of words are drawn together by the product of their vectors, and nothing holds these: they run away.

layers: net.words
"""

import torch
from torch import nn

torch.manual_seed(9)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.mix = nn.Embedding(50, 16), nn.Linear(16, 16)
        nn.init.normal_(self.words.weight, std=0.1)

    def forward(self, one, other):
        return (self.mix(self.words(one)) * self.words(other)).sum(1)


net = Net()
optimizer = torch.optim.SGD(net.words.parameters(), lr=0.5)
for step in range(3000):
    one = torch.randint(0, 50, (64,))
    loss = -net(one, (one + 1) % 50).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if not torch.isfinite(loss):
        print("broke", step)
        break
