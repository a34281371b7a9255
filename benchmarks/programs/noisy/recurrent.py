"""A recurrent net with clipping, on sequences of many lengths."""

import torch
from torch import nn

torch.manual_seed(28)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.memory, self.head = nn.LSTM(2, 24, batch_first=True), nn.Linear(24, 1)

    def forward(self, x):
        return self.head(self.memory(x)[0][:, -1])


net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
for _ in range(400):
    x = torch.randn(16, int(torch.randint(3, 40, ())), 2)
    loss = (net(x) - x[..., 0].sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
