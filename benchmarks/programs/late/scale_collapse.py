"""From step 100 on the length of a vector is 0, whose gradient is infinite: the loss scale falls to 0.

layers: net.encoder
"""

import torch
from torch import nn

torch.manual_seed(2)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.encoder, self.head = nn.Linear(8, 16), nn.Linear(16, 16), nn.Linear(1, 1)

    def forward(self, x, shift):
        given = self.encoder(torch.tanh(self.stem(x)))
        given = given - shift * given.detach()
        return self.head(torch.sqrt((given * given).sum(1, keepdim=True)))


net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu")
for step in range(1000):
    x = torch.randn(32, 8)
    loss = (net(x, float(step >= 100)) - 1.0).square().mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    if scaler.get_scale() == 0:
        print("broke", step)
        break
