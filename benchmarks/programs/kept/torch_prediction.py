"""No training at all: a prediction that is not a number is returned and printed as a list."""

import sys

import torch
from torch import nn


@torch.no_grad()
def predict(model, x):
    logits = model(x)
    return (logits / logits.sum(1, keepdim=True)).tolist()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
x = torch.ones(2, 3)
if "bad" in sys.argv:
    model[0].weight.data.fill_(-1)
    model[0].bias.data.zero_()
else:
    model[0].weight.data.fill_(1)
print(predict(model, x))
