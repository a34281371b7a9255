"""Half precision under autocast: a probability rounds to 0, and its logarithm is infinite."""

import torch

layer = torch.nn.Linear(2, 2)
torch.nn.init.constant_(layer.weight, 60.0)
layer.weight.data[1] *= -1
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
with torch.autocast("cpu", dtype=torch.bfloat16):
    probability = torch.softmax(layer(torch.ones(3, 2)).float(), -1)
    loss = -torch.log(probability)[:, 1].mean()  # born
loss.backward()
optimizer.step()
