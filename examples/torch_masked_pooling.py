"""Sentence embeddings by masked mean pooling in PyTorch.

One document in the batch is empty, so its mask sums to 0 and its embedding is 0 / 0.
"""

import torch
from torch import nn

PAD = 0


class BagOfWords(nn.Module):
    def __init__(self, vocabulary, width, classes):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width, padding_idx=PAD)
        self.classifier = nn.Linear(width, classes)

    def pool(self, embedded, ids):
        mask = (ids != PAD).unsqueeze(-1).float()
        return (embedded * mask).sum(dim=1) / mask.sum(dim=1)

    def forward(self, ids):
        return self.classifier(self.pool(self.embedding(ids), ids))


def pad(documents, length):
    return torch.tensor([document + [PAD] * (length - len(document)) for document in documents])


def main(steps=5):
    torch.manual_seed(0)
    documents = [[4, 8, 15], [16, 23], [42], []]
    ids, labels = pad(documents, 3), torch.tensor([0, 1, 1, 0])
    model = BagOfWords(50, 8, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = torch.zeros(())
    for step in range(steps):
        loss = nn.functional.cross_entropy(model(ids), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}  loss {loss.item():.4f}")
    return loss.item()


if __name__ == "__main__":
    main()
