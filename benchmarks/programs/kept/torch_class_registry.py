"""Scores are kept in a dictionary of a class, not of an object."""

import sys
from typing import ClassVar

import torch


class Registry:
    scores: ClassVar[dict] = {}

    @classmethod
    def add(cls, name, a, b):
        cls.scores[name] = torch.nn.functional.kl_div(a.log(), b, reduction="none").sum() / b.sum()


a = torch.tensor([0.5, 0.5])
b = torch.tensor([0.0, 0.0]) if "bad" in sys.argv else torch.tensor([0.25, 0.75])
Registry.add("first", a, b)
print(sorted(Registry.scores))
