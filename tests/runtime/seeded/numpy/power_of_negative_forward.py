"""A gamma correction of pixels that a filter has made negative."""

import numpy as np

pixels = np.array([0.0, 0.0, 0.2, 0.9, 0.1, 0.0])
sharpened = 2 * pixels - np.convolve(pixels, [0.25, 0.5, 0.25], mode="same")
corrected = sharpened ** (1 / 2.2)  # born
print(corrected[3] > 0)
