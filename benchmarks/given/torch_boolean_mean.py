import torch


def share(hits, mask):
    return (hits * mask).sum() / mask.sum()


def distances(a, b):
    return torch.sqrt(((a - b) ** 2).sum(-1))


def main():
    hits, mask = torch.tensor([True, False, True]), torch.tensor([True, True, False])
    return share(hits, mask), share(hits.long(), mask.long()), distances(torch.tensor([3, 0]), torch.tensor([0, 4]))
