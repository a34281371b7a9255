"""The accuracy of a class that does not occur is a mean of nothing."""

import sys

import torch

torch.manual_seed(0)
classes = 4 if "bad" in sys.argv else 3
labels = torch.arange(12) % 3
guesses = torch.randint(0, 3, (12,))
print("looking for nan and inf in the accuracies")
for c in range(classes):
    right = (guesses[labels == c] == c).float()
    print("class", c, "accuracy", round(right.mean().item(), 3))
