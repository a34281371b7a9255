"""The likelihood of a class that a saturated network excludes: its probability is 0 in float32."""

import torch

logits = torch.tensor([[0.0, 200.0], [1.0, 2.0]])
labels = torch.tensor([0, 1])
probabilities = torch.softmax(logits, dim=-1)
likelihood = probabilities[torch.arange(2), labels]
loss = -torch.log(likelihood)  # born
print(loss)
