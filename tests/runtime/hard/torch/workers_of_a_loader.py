"""The data are normalized in the processes of a loader, by a deviation that is 0."""

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        row = torch.full((4,), 1.0) if i == 5 else torch.arange(4.0)
        return (row - row.mean()) / row.std()  # born


if __name__ == "__main__":
    layer = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    for x in DataLoader(Rows(), batch_size=2, num_workers=2):
        optimizer.zero_grad()
        layer(x).sum().backward()
        optimizer.step()
