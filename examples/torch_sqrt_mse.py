"""Fitting square roots with a mean-squared error in PyTorch.

One of the inputs is exactly 0, where the square root has no finite slope: the loss is fine, its gradient is not.
"""

import torch
import torch.nn.functional as F


def main(steps=5):
    x = torch.tensor([1, 2, 0.0], requires_grad=True)
    target = torch.tensor([1.5, 1.5, 0.5])
    optimizer = torch.optim.SGD([x], lr=0.1)
    for step in range(steps):
        y = torch.sqrt(x)
        loss = F.mse_loss(y, target)
        optimizer.zero_grad()
        loss.backward()
        print(f"step {step}  loss {loss.item():.4f}  gradient {x.grad.tolist()}")
        optimizer.step()
    return x.tolist()


if __name__ == "__main__":
    main()
