import torch


class Walker:
    def __init__(self, logits):
        self.logits = logits

    def advance(self):
        self.logits.add_(torch.tensor([1.0, -1.0]))

    def entropy(self):
        p = torch.sigmoid(self.logits)
        self.advance()
        return -torch.log(p).mean()


def ordinary():
    walker = Walker(torch.tensor([0.5, 1.0]))
    return walker.entropy(), walker.entropy()


def witness():
    return Walker(torch.tensor([-200.0, 1.0])).entropy()
