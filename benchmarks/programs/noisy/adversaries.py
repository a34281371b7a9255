"""Two nets against each other: neither loss falls."""

import torch
from torch import nn

torch.manual_seed(23)
torch.set_num_threads(1)
maker = nn.Sequential(nn.Linear(4, 32), nn.LeakyReLU(0.2), nn.Linear(32, 2))
critic = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
making = torch.optim.Adam(maker.parameters(), lr=1e-3, betas=(0.5, 0.9))
criticising = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.9))
judged = nn.functional.binary_cross_entropy_with_logits
for _ in range(500):
    real, made = torch.randn(32, 2) * 0.5 + 2, maker(torch.randn(32, 4))
    loss = judged(critic(real), torch.ones(32, 1)) + judged(critic(made.detach()), torch.zeros(32, 1))
    criticising.zero_grad()
    loss.backward()
    criticising.step()
    loss = judged(critic(made), torch.ones(32, 1))
    making.zero_grad()
    loss.backward()
    making.step()
