"""The function returns when an index, and with it what it selects, is empty."""

# --- torch: nonzero
import torch


def mean_of_matches(x, labels, wanted):
    places = (labels == wanted).nonzero(as_tuple=True)[0]
    if len(places) == 0:  # guard
        return x.sum() * 0  # guard
    return x[places].mean()


# runs: mean_of_matches(torch.ones(3), torch.zeros(3), 1)

# --- numpy: flatnonzero
import numpy as np


def mean_of_matches(x, labels, wanted):
    places = np.flatnonzero(labels == wanted)
    if places.size == 0:  # guard
        return 0.0  # guard
    return x[places].mean()


# runs: mean_of_matches(np.ones(3), np.zeros(3), 1)

# --- numpy: where
import numpy as np


def mean_of_matches(x, labels, wanted):
    places = np.where(labels == wanted)[0]
    if len(places) < 1:  # guard
        return 0.0  # guard
    return x[places].mean()


# runs: mean_of_matches(np.ones(3), np.zeros(3), 1)

# --- numpy: nonzero, in the positive
import numpy as np


def mean_of_matches(x, labels, wanted):
    (places,) = np.nonzero(labels == wanted)
    if len(places) > 0:  # guard: else if labels is not None:
        return np.mean(x[places])
    return 0.0


# runs: mean_of_matches(np.ones(3), np.zeros(3), 1)

# --- torch: the number of places
import torch


def mean_of_matches(x, labels, wanted):
    places = torch.nonzero(labels == wanted).squeeze(1)
    if places.numel() == 0:  # guard
        return x.sum() * 0  # guard
    return x[places].mean()


# runs: mean_of_matches(torch.ones(3), torch.zeros(3), 1)
