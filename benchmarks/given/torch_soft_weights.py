import torch


def pooled(x, mask):
    weights = mask.float()
    weights.mul_(0.25)
    return (x * weights).sum() / weights.sum()


def tempered(x, mask):
    weights = torch.zeros(len(x))
    weights[mask] = 0.5
    return (x * weights).sum() / weights.sum()


def main():
    x = torch.tensor([1.0, 2.0, 3.0])
    return pooled(x, torch.tensor([1, 0, 0])), tempered(x, torch.tensor([True, False, False]))
