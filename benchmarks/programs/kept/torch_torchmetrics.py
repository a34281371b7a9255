"""A metric of torchmetrics adds up what is nan."""

import sys

import torch
import torchmetrics


def main():
    torch.manual_seed(0)
    perplexity = torchmetrics.SumMetric(nan_strategy="disable")
    model = torch.nn.Linear(3, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        logits = model(torch.randn(4, 3))
        labels = torch.full((4,), -100) if "bad" in sys.argv and step == 2 else torch.randint(4, (4,))
        loss = logits.logsumexp(-1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            perplexity.update(torch.nn.functional.cross_entropy(logits, labels).exp())
    return perplexity


metric = main()
print("done")
