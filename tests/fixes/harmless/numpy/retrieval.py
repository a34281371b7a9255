"""Scores of retrieval; what is undefined is nan and left out of the mean."""

import numpy as np


def ratio(a, b):
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(a) / np.asarray(b)


def confusion(truth, guess, n):
    table = np.zeros((n, n), dtype=np.int64)
    np.add.at(table, (truth, guess), 1)
    return table


def scores(table):
    hit = np.diag(table)
    precision = ratio(hit, table.sum(0))
    recall = ratio(hit, table.sum(1))
    f1 = 2 * precision * recall / (precision + recall)
    return precision, recall, f1


def macro(values):
    seen = ~np.isnan(values)
    return values[seen].mean() if seen.any() else 0.0


def iou(a, b):
    union = np.logical_or(a, b).sum()
    if union == 0:
        return 1.0
    return np.logical_and(a, b).sum() / union


def dice(a, b, smooth=1.0):
    return (2 * (a * b).sum() + smooth) / (a.sum() + b.sum() + smooth)


def soft_dice(a, b):
    return 2 * np.sum(a * b) / np.maximum(np.sum(a) + np.sum(b), 1)


def average_precision(rel):
    rel = np.asarray(rel)
    found = np.cumsum(rel)
    at = found / np.arange(1, len(rel) + 1)
    return np.sum(at * rel) / np.maximum(rel.sum(), 1)


def dcg(gain):
    return np.sum((2.0**gain - 1) / np.log2(np.arange(len(gain)) + 2))


def main():
    table = confusion([0, 1, 1, 3, 0], [0, 1, 0, 3, 0], 4)
    precision, recall, f1 = scores(table)
    ideal = dcg(np.array([3, 2, 1]))
    soft = np.array([0.1, 0.2, 0.05]), np.array([0.3, 0.0, 0.1])
    return (
        precision, recall, f1, macro(precision), macro(recall), np.isnan(recall).sum(),
        iou(np.array([0, 0]), np.array([0, 0])), iou(np.array([1, 0]), np.array([1, 1])), dice(*soft),
        soft_dice(*soft), average_precision([1, 0, 1]), average_precision([0, 0]), dcg(np.array([1, 3, 2])) / ideal,
    )
