"""Information in bits, and ratios in decibels: logarithms of other bases than e."""

import torch
import torch.nn.functional as F


def entropy_in_bits(logits):
    p = F.softmax(logits, dim=-1)
    return -(p * p.log2()).sum(dim=-1)


def surprise(logits):
    return -torch.log2(torch.sigmoid(logits))


def decibel(logits):
    return 10 * torch.log10(torch.softmax(logits, dim=1))


def bits_of_rest(logits):
    return torch.log2(1 - torch.sigmoid(logits))


def main():
    torch.manual_seed(0)
    logits = torch.randn(4, 6)
    return (
        entropy_in_bits(logits),
        surprise(logits),
        decibel(logits),
        bits_of_rest(logits),
    )
