"""NaN for what is undefined, left out of the mean later."""

import torch


def recall(hits, misses):
    return hits / (hits + misses)


def mean_recall(hits, misses):
    return torch.nanmean(recall(hits, misses))


def f1(precision, recall):
    score = 2 * precision * recall / (precision + recall)
    defined = ~torch.isnan(score)
    return score[defined].mean(), defined.sum()


def mean_of(values, chosen):
    picked = values[chosen]
    return picked.mean()


def report(values):
    found = [mean_of(values, values > level) for level in (0.0, 1.0, 100.0)]
    return [float(v) for v in found if not torch.isnan(v)]


def main():
    hits, misses = torch.tensor([3.0, 0.0, 4.0]), torch.tensor([1.0, 0.0, 0.0])
    zero = torch.tensor([0.5, 0.0, 1.0])
    return (
        mean_recall(hits, misses),
        *f1(zero, zero * 0.5),
        torch.tensor(report(torch.tensor([0.5, 1.5, 2.5]))),
    )
