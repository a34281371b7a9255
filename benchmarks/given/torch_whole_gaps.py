import torch


def surprise(gap):
    return torch.log(1 + torch.exp(gap)).sum()


def main():
    ranks = torch.tensor([3, 1, 2])
    return surprise(ranks[1:] - ranks[:-1])
