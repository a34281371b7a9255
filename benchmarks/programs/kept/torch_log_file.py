"""A logger with a handler of its own writes the gradient's angle into a file."""

import logging
import sys

import torch

log = logging.getLogger("train")
log.setLevel(logging.INFO)
log.addHandler(logging.FileHandler("train.log"))
log.propagate = False
torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
before = torch.zeros(2) if "bad" in sys.argv else torch.ones(2)
for step in range(3):
    loss = model(torch.randn(4, 2)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    now = model.weight.grad[0].detach().clone()
    cosine = now.dot(before) / (now.norm() * before.norm())
    log.info("step %d cosine %s", step, cosine.item())
    before = now
    optimizer.step()
