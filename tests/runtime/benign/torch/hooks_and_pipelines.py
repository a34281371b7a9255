"""Hooks on modules, tensors and optimizers; dataclasses, generators, worker threads, an iterable dataset."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import torch
from torch.utils.data import DataLoader, IterableDataset

torch.manual_seed(3)


@dataclass
class Batch:
    x: torch.Tensor
    weights: torch.Tensor
    names: list[str] = field(default_factory=list)


class Stream(IterableDataset):
    def __iter__(self) -> Iterator[dict]:
        for i in range(6):
            yield {"x": torch.full((3,), float(i)), "name": f"row {i}", "kept": i % 2 == 0}


def batches() -> Iterator[Batch]:
    for raw in DataLoader(Stream(), batch_size=2):
        yield Batch(raw["x"], raw["kept"].float(), raw["name"])


net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Softplus(), torch.nn.Linear(3, 1))
seen: list[str] = []
handles = [
    net[0].register_forward_pre_hook(lambda module, args: (args[0] + 1,)),
    net[0].register_forward_hook(lambda module, args, result: result * 2),
    net[2].register_full_backward_hook(lambda module, given, taken: seen.append(str(tuple(taken[0].shape)))),
    net[2].weight.register_post_accumulate_grad_hook(lambda p: seen.append(str(p.grad.clamp_(-1, 1).shape))),
]
optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-2)
optimizer.register_step_post_hook(lambda *args: seen.append("step"))
for batch in batches():
    optimizer.zero_grad()
    x = batch.x.requires_grad_()
    x.register_hook(lambda gradient: gradient * 0.5)
    loss = (net(x).squeeze(-1) * batch.weights).sum() / batch.weights.sum().clamp(min=1)
    loss.backward()
    optimizer.step()
    print(batch.names, loss.item(), x.grad)
for handle in handles:
    handle.remove()
print(seen)

results: dict[int, float] = {}


def work(number: int) -> None:
    with torch.no_grad():
        results[number] = float(torch.logsumexp(net(torch.full((2, 3), number / 2)), 0))


threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sorted(results.items()))
