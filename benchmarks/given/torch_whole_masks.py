import torch


def attend(scores, padding):
    return torch.softmax(scores + padding * -1e9, -1)


def main():
    keep = torch.tensor([0, 1, 0])
    return attend(torch.tensor([1.0, 2.0, 3.0]), keep), attend(torch.tensor([1.0, 2.0, 3.0]).half(), keep)
