"""Buffers that are worked on in place, and results that go into a given tensor."""

import torch


def to_log(x):
    x.sigmoid_().log_()
    return x


def into(buffer, x):
    torch.log(torch.sigmoid(x), out=buffer)
    return buffer


def normalised(weights):
    view = weights.view(-1)
    weights /= weights.sum()
    return view


def log_chain(x):
    y = x
    y.softmax(dim=-1)
    y.sigmoid_()
    return x, y.log()


def main():
    torch.manual_seed(3)
    x = torch.randn(3, 4)
    buffer = torch.zeros(3, 4)
    into(buffer, x)
    return (
        to_log(x.clone()),
        buffer,
        normalised(torch.rand(2, 3)),
        *log_chain(x.clone()),
    )
