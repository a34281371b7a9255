"""What a torch tensor holds, of any dtype and layout: its breakdown, the kinds of bad value in it, its elements."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from nanlint.runtime.adapter import Report
from nanlint.runtime.events import Stack
from nanlint.runtime.health import Health, Kinds, Shape

NAN, PINF, NINF = "nan", "pinf", "ninf"
NONE: Kinds = frozenset()
#: a tensor, with what it is called
Named = tuple[str, torch.Tensor]
VALUES = {NAN: math.nan, PINF: math.inf, NINF: -math.inf}
#: dtypes that can hold a nan and in which PyTorch computes; float8 and quantised ones are widened first
FLOATS = frozenset({torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64, torch.complex128})
#: their sums leave the range long before their elements do
HALVES = frozenset({torch.float16, torch.bfloat16})

_PLAIN = (torch.Tensor, torch.nn.Parameter)
_SUM = torch.sum
_MAIN = torch.float32


def is_concrete(tensor: torch.Tensor) -> bool:
    """Whether it has numbers that may be looked at: no tracer of functorch, no fake, functional or meta tensor.

    While ``torch.jit.trace`` records, what one looks at becomes part of the trace.
    """
    if type(tensor) not in _PLAIN and _is_symbolic(tensor):
        return bool(tensor.layout == torch.jagged and is_concrete(tensor.values()))
    if tensor.device.type == "meta" or torch._C._get_tracing_state() is not None:
        return False
    return not torch._C._functorch.is_functorch_wrapped_tensor(tensor)


def _is_symbolic(tensor: torch.Tensor) -> bool:
    """A subclass that says itself what ops on it are: it may have no numbers, and asking it runs its code."""
    dispatched = type(tensor).__torch_dispatch__
    return (
        dispatched is not torch._C._disabled_torch_dispatch_impl and dispatched is not torch.Tensor.__torch_dispatch__
    )


def parts_of(tensor: torch.Tensor) -> list[torch.Tensor]:
    """What a tensor that wraps others holds here: of a distributed one its local part. Else the tensor itself.

    To look at the wrapper apart from its own code would crash. One that must be waited for tells nothing.
    """
    if type(tensor) in _PLAIN or not _is_symbolic(tensor):
        return [tensor]
    if not is_traceable_wrapper_subclass(tensor) or hasattr(tensor, "trigger_wait"):
        return []
    inner = [getattr(tensor, name) for name in tensor.__tensor_flatten__()[0]]
    return [part for one in inner if isinstance(one, torch.Tensor) for part in parts_of(one)]


@contextlib.contextmanager
def apart() -> Iterator[None]:
    """Hide the ops inside this context, which belong to nanlint, from the user's modes, subclasses and graphs."""
    with torch._C._DisableTorchDispatch(), torch._C.DisableTorchFunction(), torch.no_grad():
        yield


def suspicious(tensor: torch.Tensor) -> bool:
    """Whether there may be a nan or an inf: one pass. A sum can overflow, so ask ``kinds_of`` then."""
    if type(tensor) not in _PLAIN and _is_symbolic(tensor):
        return any(map(suspicious, parts_of(tensor)))
    if tensor._is_zerotensor():  # as derivatives have them: it has no memory, and to read it crashes
        return False
    try:
        dtype = tensor.dtype
        if dtype is _MAIN:
            total = _SUM(tensor).item()
        elif dtype in HALVES:
            total = _SUM(tensor, dtype=_MAIN).item()
        elif dtype in FLOATS:
            total = _SUM(tensor).item()
        else:
            return bool(dtype.is_floating_point)
        return bool(total - total != 0)
    except (RuntimeError, NotImplementedError):  # a layout or device without this sum
        return True


def any_suspicious(tensors: Sequence[torch.Tensor]) -> bool:
    """The same of several; a device is asked, and waited for, once for all that are there."""
    far: dict[torch.device, list[torch.Tensor]] = {}
    for tensor in tensors:
        if tensor.device.type == "cpu" or tensor._is_zerotensor():
            if suspicious(tensor):
                return True
        elif tensor.layout == torch.strided and not tensor.is_complex():
            far.setdefault(tensor.device, []).append(_SUM(tensor, dtype=_MAIN))
    return any(not torch.isfinite(torch.stack(totals)).all().item() for totals in far.values())


def kinds_of(tensor: torch.Tensor) -> Kinds:
    """Which of ninf, pinf and nan occur."""
    if type(tensor) not in _PLAIN and _is_symbolic(tensor):
        return NONE.union(*map(kinds_of, parts_of(tensor)))
    flat = _values(tensor)
    if flat is None or not flat.numel() or not flat.dtype.is_floating_point:
        return NONE
    low, high = (end.item() for end in torch.aminmax(flat))
    if not math.isnan(low):
        return frozenset(kind for kind, found in ((NINF, low == -math.inf), (PINF, high == math.inf)) if found)
    return frozenset(kind for kind, x in VALUES.items() if x != x or torch.eq(flat, x).any().item())


def health_of(tensor: torch.Tensor) -> Health:
    """The six-way breakdown, exact."""
    dtype, shape = str(tensor.dtype).removeprefix("torch."), _shape(tensor)
    tensor = tensor.detach().values() if tensor.layout == torch.jagged else tensor
    with apart():
        flat = _values(tensor)
        if flat is None or not flat.numel():
            return Health(dtype=dtype, shape=shape)
        bad = {kind: int((flat == x).sum() if x == x else flat.isnan().sum()) for kind, x in VALUES.items()}
        finite = flat[torch.isfinite(flat)] if any(bad.values()) else flat
        if not finite.numel():
            return Health(**bad, dtype=dtype, shape=shape)
        low, high = (float(end) for end in torch.aminmax(finite))
        zero, neg = finite.numel() - int(torch.count_nonzero(finite)), int((finite < 0).sum())
        near = 0.0 if zero else low if low > 0 else -high if high < 0 else float(finite.abs().amin())
        found = {"neg": neg, "zero": zero, "pos": finite.numel() - zero - neg}
        return Health(**bad, **found, low=low, high=high, near=near, dtype=dtype, shape=shape)


def glance_of(tensor: torch.Tensor) -> tuple[float, float] | None:
    """Least and greatest element where all are finite, in one pass; None for what needs a closer look."""
    if not can_be_glanced_at(tensor):
        return None
    if torch._C._len_torch_dispatch_stack():
        with apart():
            ends = _ends(tensor)
    else:
        ends = _ends(tensor)
    return ends if math.isfinite(ends[0]) and math.isfinite(ends[1]) else None


def can_be_glanced_at(tensor: torch.Tensor) -> bool:
    """Whether ``glance_of`` knows what to do with it."""
    real = tensor.dtype in FLOATS and not tensor.dtype.is_complex
    return real and tensor.layout == torch.strided and tensor.numel() > 0 and not tensor._is_zerotensor()


def _ends(tensor: torch.Tensor) -> tuple[float, float]:
    low, high = torch.aminmax(tensor.detach())
    return low.item(), high.item()


def numbers_of(tensor: torch.Tensor, limit: int) -> list[float | complex]:
    """The first elements, row-major."""
    tensor = tensor.detach().values() if tensor.layout == torch.jagged else tensor
    with apart():
        held = _held(tensor)
        if held is None:
            return []
        first = held.reshape(-1)[:limit] if held.is_contiguous() else held.flatten()[:limit]
        first = first if first.dtype in FLOATS or not first.dtype.is_floating_point else first.float()
        numbers: list[float | complex] = first.tolist()
        return numbers


def _shape(tensor: torch.Tensor) -> Shape:
    return (int(tensor.size(0)),) if tensor.is_nested else tuple(map(int, tensor.shape))


def _held(tensor: torch.Tensor) -> torch.Tensor | None:
    """The elements that a tensor really has, strided: of a sparse or nested one its values, of a quantised one those it
    stands for.
    """
    if tensor._is_zerotensor():
        return torch.zeros(tensor.shape, dtype=tensor.dtype, device=tensor.device)
    tensor = tensor.detach()
    if tensor.is_nested:
        return (
            tensor.values() if tensor.layout == torch.jagged else torch.cat([one.flatten() for one in tensor.unbind()])
        )
    if tensor.layout == torch.sparse_coo:
        return tensor._values()
    if tensor.layout in (torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc):
        return tensor.values()
    if tensor.layout != torch.strided:
        return tensor.to_dense()
    if tensor.is_quantized:
        return tensor.dequantize()
    return None if tensor.device.type == "meta" else tensor.resolve_conj().resolve_neg()


def _values(tensor: torch.Tensor) -> torch.Tensor | None:
    """The elements, one-dimensional and of a dtype that can be ordered."""
    held = _held(tensor)
    if held is None:
        return None
    if held.dtype.is_complex:
        held = _worse_part(held)
    elif held.dtype.is_floating_point:
        held = held if held.dtype in FLOATS else held.float()
    elif held.dtype == torch.bool:
        held = held.to(torch.uint8)
    elif held.dtype not in (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64):
        held = held.double()
    return held.reshape(-1)


def _worse_part(held: torch.Tensor) -> torch.Tensor:
    """Of each complex number the part that is nan, else the one that is infinite, else the real one."""
    real, imag = held.real, held.imag
    worse = torch.isnan(imag) | (torch.isinf(imag) & ~torch.isnan(real))
    return torch.where(worse, imag, real)


def nan_places(tensor: Any, most: int = 5) -> tuple[list[int], list[int]]:
    """Rows and columns of a table (first and last dimension) that hold a nan, the first of each."""
    with apart():
        bad = torch.isnan(tensor.detach())
        if bad.dim() < 2:
            return bad.reshape(-1).nonzero().flatten()[:most].tolist(), []
        rows = bad.flatten(1).any(1).nonzero().flatten()[:most].tolist()
        columns = bad.flatten(0, -2).any(0).nonzero().flatten()[:most].tolist()
        return rows, columns


def nan_in_data(name: str, tensor: torch.Tensor, frames: Stack) -> Report:
    """The alert that a tensor came with nan in it: how many, in which rows and columns."""
    rows, columns = nan_places(tensor)
    health = health_of(tensor)
    message = f"{name} already had {health.nan:,} nan in {health.size:,} elements, and no operation computed them"
    if rows and tensor.dim() > 1:
        message += f": rows {_listed(rows)}, columns {_listed(columns)}"
        if rows == [0] and health.nan == health.size // tensor.shape[0]:
            message += " (all of row 0 and nothing else: was a header read as data?)"
    return {"kind": "nan-in-input", "message": message, "frames": frames, "rows": rows, "columns": columns}


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) + (", …" if len(numbers) == 5 else "")
