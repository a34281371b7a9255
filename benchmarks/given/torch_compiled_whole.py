import torch


def spread(x):
    return x[x != 0].mean()


def main():
    x = torch.tensor([1.0, 0.0, 3.0])
    return torch.compile(spread, backend="eager", fullgraph=True)(x)
