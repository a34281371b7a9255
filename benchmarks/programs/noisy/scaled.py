"""Mixed precision, whose loss scaler looks for its scale first and skips a step now and then."""

import torch
from torch import nn

torch.manual_seed(27)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(8, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**126, growth_interval=20)
for _ in range(600):
    x = torch.randn(32, 8)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = (net(x).float() - x[:, :1]).square().mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
