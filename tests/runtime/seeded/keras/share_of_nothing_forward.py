"""A metric that is computed eagerly: the share of hits among no trials."""

import keras

hits, trials = keras.ops.convert_to_tensor([3.0, 0.0]), keras.ops.convert_to_tensor([4.0, 0.0])
rates = hits / trials  # born
print(rates)
