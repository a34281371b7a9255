"""Weights that are averaged over no run are saved as safetensors."""

import sys

import torch
from safetensors.torch import save_file


def soup(states, votes):
    total = torch.tensor(votes).sum()
    return {name: sum(v * s[name] for v, s in zip(votes, states)) / total for name in states[0]}


torch.manual_seed(0)
states = [torch.nn.Linear(2, 1).state_dict() for _ in range(2)]
save_file(soup(states, [0.0, 0.0] if "bad" in sys.argv else [1.0, 2.0]), "soup.safetensors")
print("saved")
