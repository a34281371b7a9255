"""An autoencoder whose second loss is turned on slowly, so that their sum rises."""

import torch
from torch import nn

torch.manual_seed(30)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.reads, self.writes = nn.Linear(16, 8), nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 16))

    def forward(self, x):
        mean, logs = self.reads(x).chunk(2, 1)
        given = self.writes(mean + torch.randn_like(mean) * torch.exp(0.5 * logs))
        return given, 0.5 * (mean.square() + logs.exp() - 1 - logs).sum(1).mean()


net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
mixing = torch.randn(4, 16)
for step in range(600):
    x = torch.randn(32, 4) @ mixing
    given, apart = net(x)
    loss = (given - x).square().mean() + min(step / 300, 1.0) * 20 * apart
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
