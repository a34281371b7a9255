"""Infinity where it is meant: what never arrives, what is not to be chosen, what has no bound."""

import torch


def arrival(distance, speed):
    return distance / speed


def first_to_arrive(distance, speed):
    times = arrival(distance, speed)
    return times.argmin(), times.min(), torch.isinf(times).sum()


def log_mask(mask):
    return torch.log(mask)


def masked_attention(scores, mask):
    return torch.softmax(scores + log_mask(mask), dim=-1)


def odds(p):
    return p / (1 - p)


def main():
    distance, speed = torch.tensor([5.0, 2.0, 3.0]), torch.tensor([1.0, 0.0, 2.0])
    mask = torch.tensor([1.0, 0.0, 1.0])
    return (
        *first_to_arrive(distance, speed),
        masked_attention(distance, mask),
        torch.sort(odds(torch.tensor([0.5, 1.0, 0.2])))[1],
    )
