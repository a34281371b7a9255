import torch


def likelihood(score):
    return torch.log(torch.sigmoid(score))


def main():
    return likelihood(torch.arange(-2, 3)), likelihood(torch.tensor([0.5, -1.0]))
