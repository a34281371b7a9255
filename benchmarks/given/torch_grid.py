from torch import arange, meshgrid

from radius import radius


def main():
    rows, columns = meshgrid(arange(1, 4), arange(1, 4), indexing="ij")
    return radius(rows, columns)


# file: radius.py
import torch


def radius(y, x):
    return torch.sqrt(torch.square(y) + torch.square(x))
