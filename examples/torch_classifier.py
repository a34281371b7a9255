"""A PyTorch classifier whose loss is assembled over several lines: softmax first, logarithm later.

Unscaled inputs make the logits large, and the first exact 0 among the probabilities ends the run.
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self, features=16, hidden=64, classes=4):
        super().__init__()
        self.fc1 = nn.Linear(features, hidden)
        self.fc2 = nn.Linear(hidden, classes)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        return self.fc2(x)


def weighted_cross_entropy(logits, target, weights):
    probs = F.softmax(logits, dim=1)
    onehot = F.one_hot(target, logits.size(1)).float()
    log_probs = torch.log(probs)
    per_class = onehot * weights * log_probs
    return -per_class.sum(dim=1).mean()


def main(steps=30):
    torch.manual_seed(0)
    inputs = torch.randn(256, 16) * 50
    target = inputs[:, :4].argmax(dim=1)
    weights = torch.tensor([1.0, 2.0, 1.0, 0.5])

    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loss = torch.zeros(())
    for step in range(steps):
        optimizer.zero_grad()
        loss = weighted_cross_entropy(net(inputs), target, weights)
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"step {step:3d}  loss {loss.item():.4f}")
    return loss.item()


if __name__ == "__main__":
    main()
