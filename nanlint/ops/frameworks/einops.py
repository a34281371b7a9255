"""How einops moves elements about, and reduces along axes."""

from __future__ import annotations

from collections.abc import Mapping

SPELLINGS: Mapping[str, str] = {
    # movement
    "einops.{rearrange,repeat}(tensor, pattern)": "view(x=tensor)",
    "einops.pack(tensors, pattern)": "concat(x=tensors)",
    "einops.unpack(tensor, packed_shapes, pattern)": "part(x=tensor)",
    "einops.einsum(*tensors_and_pattern)": "einsum(x=*tensors_and_pattern)",
    "einops.layers.torch.Rearrange(pattern)": "layer view(x=$)",
    # reductions, over the axes that the pattern leaves out
    "einops.reduce(tensor, pattern, reduction)": "unknown(x=tensor)",
    "einops.reduce(tensor, pattern, reduction:'sum')": "sum(x=tensor)",
    "einops.reduce(tensor, pattern, reduction:'mean')": "mean(x=tensor)",
    "einops.reduce(tensor, pattern, reduction:'max')": "max(x=tensor)",
    "einops.reduce(tensor, pattern, reduction:'min')": "min(x=tensor)",
    "einops.reduce(tensor, pattern, reduction:'prod')": "prod(x=tensor)",
}
