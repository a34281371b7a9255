import torch


def disorder(counts):
    return -(counts * torch.log(counts)).sum()


def main():
    return disorder(torch.tensor([1, 2, 4]))
