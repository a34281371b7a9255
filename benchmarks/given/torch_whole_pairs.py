import torch


def either(a, b):
    return torch.log(torch.exp(a) + torch.exp(b))


def table(f, *given):
    return [f(*pair) for pair in given]


def main():
    return table(either, (torch.arange(3), torch.arange(3)), (torch.ones(2), torch.zeros(2)))
