"""The adapters that come with nanlint, one a framework."""

from __future__ import annotations

#: the package whose import wakes an adapter, and where its class is
BUILT_IN = {
    "torch": "nanlint.runtime.adapters.torch:TorchAdapter",
    "tensorflow": "nanlint.runtime.adapters.tensorflow:TensorFlowAdapter",
    "keras": "nanlint.runtime.adapters.keras:KerasAdapter",
    "jax": "nanlint.runtime.adapters.jax:JaxAdapter",
    "numpy": "nanlint.runtime.adapters.numpy:NumpyAdapter",
}
