"""What is saved beside the weights has a standard deviation of one number."""

import os
import sys
import tempfile

import torch


def save(path, rows):
    features = torch.randn(rows, 3)
    torch.save({"mean": features.mean(0), "std": features.std(0)}, path)


torch.manual_seed(0)
with tempfile.TemporaryDirectory() as directory:
    save(os.path.join(directory, "statistics.pt"), 1 if "bad" in sys.argv else 5)
    print(os.listdir(directory))
