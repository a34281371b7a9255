import torch
import torch.nn.functional as F
from torch import nn


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 8)
        self.mu = nn.Linear(8, 2)
        self.logvar = nn.Linear(8, 2)
        self.out = nn.Linear(2, 4)

    def encode(self, x):
        h = torch.relu(self.inner(x))
        return self.mu(h), self.logvar(h)

    def sample(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + torch.randn_like(std) * std

    def forward(self, x):
        mu, logvar = self.encode(x)
        return self.out(self.sample(mu, logvar)), mu, logvar


def elbo(recon, x, mu, logvar):
    kld = -0.5 * torch.mean(1 + logvar - mu.pow(2) - logvar.exp())
    return F.mse_loss(recon, x) + kld


def run(scale):
    torch.manual_seed(0)
    model = VAE()
    x = scale * torch.randn(8, 4)
    value = elbo(model(x)[0], x, *model(x)[1:])
    value.backward()
    return value / scale**2, model.logvar.bias.grad


def ordinary():
    return run(1.0), run(0.1)


def witness():
    return run(5000.0)
