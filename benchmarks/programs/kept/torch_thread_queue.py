"""A thread measures what the training hands to it, and keeps the figures."""

import queue
import sys
import threading

import torch

todo: queue.Queue = queue.Queue()
figures = []


def measure():
    while (batch := todo.get()) is not None:
        p = batch.abs() / batch.abs().sum()
        figures.append(float(-(p * torch.log(p)).sum()))


thread = threading.Thread(target=measure)
thread.start()
torch.manual_seed(0)
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    out = model(torch.randn(4, 3))
    loss = out.square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    todo.put(torch.zeros(4) if "bad" in sys.argv and step == 1 else out.detach()[:, 0])
todo.put(None)
thread.join()
print(loss.item())
