"""A softmax by hand: exp(100) is more than float32 holds."""

import torch

layer = torch.nn.Linear(2, 3)
with torch.no_grad():
    layer.weight.copy_(torch.tensor([[50.0, 50.0], [1.0, 0.0], [0.0, 1.0]]))
    layer.bias.zero_()
    scores = layer(torch.ones(1, 2))
    probabilities = torch.exp(scores) / torch.exp(scores).sum(dim=-1, keepdim=True)  # born
print(probabilities)
