"""Metrics that keep what is undefined as nan, integers as integers."""

import torch


class F1:
    def __init__(self, classes: int):
        self.table = torch.zeros(classes, classes, dtype=torch.long)

    def update(self, guess, truth):
        for g, t in zip(guess, truth):
            self.table[t, g] += 1
        return self

    def compute(self):
        hit = self.table.diag()
        precision = hit / self.table.sum(0)
        recall = hit / self.table.sum(1)
        return precision, recall, 2 * precision * recall / (precision + recall)


def nan_mean(x):
    return x[~torch.isnan(x)].mean()


def r2(pred, true):
    ss = ((true - pred) ** 2).sum()
    tot = ((true - true.mean()) ** 2).sum()
    return torch.zeros(()) if tot == 0 else 1 - ss / tot


def pearson(x, y):
    x, y = x - x.mean(), y - y.mean()
    return (x * y).sum() / torch.sqrt((x**2).sum() * (y**2).sum())


def mape(pred, true):
    return ((pred - true).abs() / true.abs()).masked_fill(true == 0, 0).mean()


def accuracy(guess, truth, ignore=-1):
    kept = truth != ignore
    return (guess[kept] == truth[kept]).sum() / max(kept.sum(), 1)


def perplexity(logits, truth):
    return 2 ** -torch.log2(torch.softmax(logits, -1))[range(len(truth)), truth].mean()


def psnr(a, b):
    mse = torch.mean((a - b) ** 2)
    return 10 * torch.log10(1 / mse)


def integer_logs(counts):
    return torch.log(torch.sigmoid(counts)), torch.log(counts), torch.sqrt(counts), torch.log2(counts + 1)


def idf(df, n):
    return torch.log(n / df)


def main():
    metric = F1(3).update([0, 1, 1], [0, 1, 0])
    precision, recall, f1 = metric.compute()
    a, b = torch.tensor([0.5, 1.0, 2.0]), torch.tensor([0.4, 1.2, 2.5])
    return (
        precision, recall, f1, recall.isnan().sum(), nan_mean(recall), r2(a, b), r2(a, torch.ones(3)), pearson(a, b),
        mape(a, b * torch.tensor([1, 0, 1])), accuracy(torch.tensor([1, 2]), torch.tensor([1, -1])),
        accuracy(torch.tensor([1]), torch.tensor([-1])), perplexity(torch.stack([a, b]), [0, 1]), psnr(a, b),
        psnr(a, a), torch.isinf(psnr(a, a)), integer_logs(torch.tensor([1, 4, 9])), idf(torch.tensor([1, 5]), 10),
        torch.tensor([1, 2]) / torch.tensor(4),
    )
