"""Subclasses, sparse, quantised, complex, empty, integer, boolean and meta tensors; views, in-place ops, out=."""

import torch


class Labelled(torch.Tensor):
    label: str

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        result = super().__torch_function__(func, types, args, kwargs or {})
        if isinstance(result, Labelled):
            result.label = next(
                (one.label for one in args if isinstance(one, Labelled) and hasattr(one, "label")), "none"
            )
        return result


class Wrapped(torch.Tensor):
    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

    def __init__(self, inner):
        self.inner = inner

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        plain = [one.inner if isinstance(one, cls) else one for one in args]
        result = func(*plain, **(kwargs or {}))
        return cls(result) if isinstance(result, torch.Tensor) else result

    def __repr__(self):
        return f"Wrapped({self.inner})"


x = torch.arange(1.0, 5.0).as_subclass(Labelled)
x.label = "metres"
y = torch.log(x) / x.sqrt()
print(type(y).__name__, y.label, y.tolist())
wrapped = Wrapped(torch.arange(1.0, 4.0))
print(torch.log(wrapped) / wrapped, (wrapped * 2).sqrt())
sparse = torch.eye(3).to_sparse()
print((sparse @ torch.ones(3, 2)).sum(), torch.sparse.sum(sparse, 0).to_dense(), sparse.to_sparse_csr().values())
z = torch.tensor([1 + 1j, 2 - 1j])
print(z.conj().log(), torch.fft.fft(torch.arange(4.0)), z.abs().log(), (z / z.conj()).angle())
print(torch.empty(0).sum(), torch.empty(0, 3).mean(1), torch.tensor([], dtype=torch.int64).sum())
print(
    torch.tensor([7, 8]) // 3, torch.tensor([True, False]).sum(), torch.tensor(5).log(), torch.bitwise_xor(x.int(), 3)
)
print(
    torch.empty(2, 2, device="meta").log().shape, torch.zeros(2, dtype=torch.float16) + 1, torch.ones(2).bfloat16() / 3
)
table = torch.zeros(3, 3)
table[1:, 1:].add_(2).mul_(3).clamp_(max=5)
table.index_add_(0, torch.tensor([0, 0]), torch.ones(2, 3))
table.masked_fill_(table == 0, 9.0)
table.T[0] = -1
out = torch.empty(3)
torch.sum(table, 1, out=out)
print(table, out, torch.where(table > 0, table.clamp(min=1e-6).log(), torch.zeros(())))
masked = torch.tensor([0.1, 0.2, 0.3]).masked_fill(torch.tensor([True, False, False]), float("-inf"))
print(torch.softmax(masked, 0), torch.tensor([1.0, float("nan")]).nanmean(), torch.inf > masked)
