"""Models that are run in threads."""

from concurrent.futures import ThreadPoolExecutor

import torch


def score(x):
    return torch.log(x.relu()).mean()  # born


with ThreadPoolExecutor(2) as pool:
    print(list(pool.map(score, [torch.ones(3), -torch.ones(3)])))
