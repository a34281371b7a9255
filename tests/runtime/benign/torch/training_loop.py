"""A classifier with batches from a DataLoader, dropout, two optimizers with groups, a schedule, clipping by norm."""

import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
data = TensorDataset(torch.randn(48, 5), torch.randint(0, 3, (48,)))
loader = DataLoader(data, batch_size=8, shuffle=True, generator=torch.Generator().manual_seed(1))
net = torch.nn.Sequential(torch.nn.Linear(5, 16), torch.nn.BatchNorm1d(16), torch.nn.GELU(), torch.nn.Dropout(0.2))
head = torch.nn.Linear(16, 3)
optimizers = [
    torch.optim.AdamW([{"params": net.parameters(), "lr": 1e-2}], weight_decay=0.01),
    torch.optim.SGD(head.parameters(), lr=0.1, momentum=0.9, nesterov=True),
]
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizers[0], 4)

for epoch in range(3):
    total, right = 0.0, 0
    for x, y in loader:
        for optimizer in optimizers:
            optimizer.zero_grad(set_to_none=True)
        scores = head(net(x))
        loss = torch.nn.functional.cross_entropy(scores, y, label_smoothing=0.1)
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*net.parameters(), *head.parameters()], 1.0)
        for optimizer in optimizers:
            optimizer.step()
        total += loss.item() * len(x)
        right += int((scores.argmax(-1) == y).sum())
    schedule.step()
    print(epoch, total / len(data), right, optimizers[0].param_groups[0]["lr"])

net.eval()
with torch.no_grad():
    probabilities = torch.softmax(head(net(data.tensors[0][:4])), -1)
    entropy = -(probabilities * torch.log(probabilities + 1e-9)).sum(-1)
print(probabilities, entropy)
