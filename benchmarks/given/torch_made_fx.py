import torch
from torch.fx.experimental.proxy_tensor import make_fx


def standard(x):
    return (x - x.mean()) / x.std()


def main():
    x = torch.tensor([1.0, -2.0, 3.0])
    return make_fx(standard)(x)(x)
