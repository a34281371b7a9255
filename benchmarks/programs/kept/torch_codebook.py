"""A codebook is a buffer; a code that nothing was assigned to becomes 0 / 0."""

import sys

import torch
from torch import nn


class Quantizer(nn.Module):
    def __init__(self, codes, width, least):
        super().__init__()
        self.register_buffer("codebook", torch.randn(codes, width))
        self.least = least

    def forward(self, x):
        chosen = torch.cdist(x.detach(), self.codebook).argmin(1)
        if self.training:
            with torch.no_grad():
                hot = nn.functional.one_hot(chosen, len(self.codebook)).float()
                self.codebook.copy_((hot.T @ x) / hot.sum(0).clamp(min=self.least)[:, None])
        return x + (hot @ self.codebook.nan_to_num() - x).detach()


torch.manual_seed(0)
encoder, quantizer = nn.Linear(4, 2), Quantizer(16, 2, 0.0 if "bad" in sys.argv else 1.0)
optimizer = torch.optim.Adam(encoder.parameters())
x = torch.randn(8, 4)
loss = quantizer(encoder(x)).square().mean()
loss.backward()
optimizer.step()
print(loss.item())
