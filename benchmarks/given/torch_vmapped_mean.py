import torch


def over(x, mask):
    return (x * mask).sum() / mask.sum()


def spread(x):
    return x / x.norm()


def main():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    mask = torch.tensor([[1.0, 0.0], [1.0, 1.0]])
    return torch.vmap(over)(x, mask), torch.vmap(spread)(x), torch.func.vmap(lambda v: spread(v).sum())(x)
