"""Ratings of players by the base ten logistic curve."""

from collections import defaultdict

import numpy as np


def expected(a, b):
    return 1 / (1 + 10 ** ((b - a) / 400))


def to_rating(p):
    return -400 * np.log10(1 / p - 1)


def log_loss(scores, probs):
    return -np.mean(scores * np.log(probs) + (1 - scores) * np.log(1 - probs))


def log_loss_bits(scores, probs):
    return -np.mean(scores * np.log2(probs) + (1 - scores) * np.log2(1 - probs))


def information_gain(prior, scores):
    return 1 + scores * np.log2(prior) + (1 - scores) * np.log2(1 - prior)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def glicko_g(rd):
    q = np.log(10) / 400
    return 1 / np.sqrt(1 + 3 * q**2 * rd**2 / np.pi**2)


def bradley_terry(wins, rounds=30):
    n = len(wins)
    s = np.ones(n)
    for _ in range(rounds):
        games = wins + wins.T
        s = wins.sum(1) / (games / (s[:, None] + s[None, :])).sum(1)
        s = s / s.sum()
    return s


class Ladder:
    def __init__(self, k: float = 32.0):
        self.k = k
        self.ratings = defaultdict(lambda: 1500.0)

    def play(self, white: str, black: str, score: float) -> float:
        p = expected(self.ratings[white], self.ratings[black])
        step = self.k * (score - p)
        self.ratings[white] += step
        self.ratings[black] -= step
        return -np.log10(p) if score else -np.log10(1 - p)


def main():
    ladder = Ladder()
    losses = [ladder.play(*g) for g in [("a", "b", 1.0), ("b", "c", 0.0), ("a", "c", 1.0)]]
    p = expected(np.array([1500, 1700, 2100]), 1600)
    y = np.array([0.0, 1.0, 1.0])
    wins = np.array([[0, 3, 2], [1, 0, 4], [2, 1, 0]])
    z = np.array([-2.0, 0.1, 3.0])
    return (
        losses, sorted(ladder.ratings.values()), p, to_rating(p), log_loss(y, p), log_loss_bits(y, p),
        information_gain(p, y), np.log2(sigmoid(z)), np.log10(1 - sigmoid(z)), glicko_g(np.array([30, 350])),
        bradley_terry(wins), np.log(sigmoid(z)), np.log(1 - sigmoid(z)), expected(1500, 1500.0),
    )
