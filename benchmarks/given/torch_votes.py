import torch


def shares(votes):
    weights = torch.exp(votes)
    return weights / weights.sum(-1, keepdim=True)


def main():
    return shares(torch.tensor([[1, 2, 3], [4, 4, 4]])), shares(torch.tensor([[0.5, 1.0]]))
