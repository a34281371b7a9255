"""An optimizer that calls back for its gradients."""

import torch

x = torch.nn.Parameter(torch.tensor([0.0, 3.0]))
optimizer = torch.optim.LBFGS([x], lr=1.0, max_iter=4)


def closure():
    optimizer.zero_grad()
    loss = (x.log() ** 2).sum()  # born
    loss.backward()
    return loss


optimizer.step(closure)
