"""A history of losses, one of which overflowed, is stored as JSON."""

import json
import os
import sys
import tempfile

import numpy as np

rate = 1e60 if "bad" in sys.argv else 0.1
w, history = np.float64(1.0), []
for step in range(8):
    history.append(float((w - 3) ** 2))
    w = w - rate * 2 * (w - 3)
with tempfile.TemporaryDirectory() as directory, open(os.path.join(directory, "history.json"), "w") as file:
    json.dump({"loss": history}, file)
print("steps", len(history))
