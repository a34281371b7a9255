"""Metrics of a classifier, with what is undefined left undefined."""

import numpy as np


def per_class(confusion):
    hits = np.diag(confusion).astype(float)
    with np.errstate(all="ignore"):
        precision = hits / confusion.sum(axis=0)
        recall = hits / confusion.sum(axis=1)
        f1 = 2 * precision * recall / (precision + recall)
    return precision, recall, f1


def intersection_over_union(confusion):
    hits = np.diag(confusion)
    with np.errstate(all="ignore"):
        return hits / (confusion.sum(0) + confusion.sum(1) - hits)


def kappa(confusion):
    total = confusion.sum()
    observed = np.trace(confusion) / total
    expected = (confusion.sum(0) * confusion.sum(1)).sum() / total**2
    return (observed - expected) / (1 - expected)


def main():
    confusion = np.array([[5, 1, 0], [2, 7, 0], [0, 0, 0]])
    precision, recall, f1 = per_class(confusion)
    overlap = intersection_over_union(confusion)
    return (
        np.nanmean(precision),
        np.nanmean(recall),
        np.nanmean(f1),
        np.isnan(recall),
        np.nanmean(overlap),
        kappa(confusion),
    )
