"""Infinity where it is meant."""

import numpy as np


def arrival(distance, speed):
    with np.errstate(divide="ignore"):
        return distance / speed


def log_likelihood(p, counts):
    with np.errstate(divide="ignore"):
        return np.log(p)[counts]


def nearest(distance, speed):
    times = arrival(distance, speed)
    return np.argsort(times), np.isinf(times)


def viterbi(initial, transition):
    with np.errstate(divide="ignore"):
        score = np.log(initial)
        steps = np.log(transition)
    for _ in range(3):
        score = np.max(score[:, None] + steps, axis=0)
    return score


def main():
    p = np.array([0.5, 0.0, 0.5])
    transition = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.2, 0.0, 0.8]])
    order, never = nearest(np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.0, 4.0]))
    return order, never, log_likelihood(p, np.array([0, 1, 2])), viterbi(p, transition)
