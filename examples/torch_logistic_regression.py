"""Logistic regression with the likelihood written out: log of the sigmoid, and log of one minus it.

One outlier is enough: its sigmoid rounds to exactly 0 or 1.
"""

import torch


class LogisticRegression(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = torch.nn.Linear(features, 1)

    def forward(self, x):
        return torch.sigmoid(self.linear(x)).squeeze(1)


def negative_log_likelihood(model, x, y):
    p = model(x)
    positive = y * torch.log(p)
    negative = (1 - y) * torch.log(1 - p)
    return -(positive + negative).mean()


def main(steps=50):
    torch.manual_seed(0)
    x = torch.randn(200, 3)
    y = (x[:, 0] + x[:, 1] > 0).float()
    x[0] = torch.tensor([300.0, 300.0, 0.0])
    model = LogisticRegression(3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    loss = torch.zeros(())
    for step in range(steps):
        loss = negative_log_likelihood(model, x, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"step {step:2d}  loss {loss.item():.4f}")
    return loss.item()


if __name__ == "__main__":
    main()
