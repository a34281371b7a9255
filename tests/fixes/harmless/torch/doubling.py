"""Powers of 2 and of 10 in sums and ratios."""

import torch


def softmax2(x):
    e = torch.exp2(x)
    return e / e.sum(dim=-1, keepdim=True)


def loudness(levels):
    return 10 * torch.log10(torch.sum(10 ** (levels / 10), dim=0))


def softplus2(x):
    return torch.log2(1 + torch.exp2(x))


def main():
    torch.manual_seed(1)
    x = torch.randn(3, 5)
    return softmax2(x), loudness(x * 10 + 60), softplus2(x)
