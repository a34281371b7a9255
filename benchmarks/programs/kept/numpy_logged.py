"""A ratio is logged with a format."""

import logging
import sys

import numpy as np

logging.basicConfig(level=logging.INFO)
hits = np.array([3, 0, 2])
seen = np.array([4, 0, 2]) if "bad" in sys.argv else np.array([4, 1, 2])
for name, share in zip("abc", hits / seen):
    logging.info("%s: %.2f", name, share)
