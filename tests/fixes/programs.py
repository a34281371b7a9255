"""What the tests of the codemods share in writing: how programs begin, and what the fixtures are."""

from __future__ import annotations

from collections.abc import Callable

#: ``mend(code, text)``, with ``unsafe`` and the configuration: the text after its fixes
Mend = Callable[..., str]
#: ``shown(code, text)``: applicability and replacement of each fix that is offered
Shown = Callable[..., list[tuple[str, str]]]

TORCH = "import torch\n\n\n"
TF = "import tensorflow as tf\n\n\n"
TF1 = "import tensorflow.compat.v1 as tf\n\n\n"
KERAS = "from keras import ops\n\n\n"
JAX = "import jax\nimport jax.numpy as jnp\n\n\n"
NUMPY = "import numpy as np\n\n\n"
SCIPY = "import numpy as np\nfrom scipy import special\n\n\n"
