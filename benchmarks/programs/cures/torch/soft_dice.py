import torch


class Dice(torch.nn.Module):
    def forward(self, logits, target):
        p = torch.sigmoid(logits)
        both = (p * target).sum((1, 2))
        # areas of prediction and target
        total = (p * (target > 0.5)).sum((1, 2)) + target.sum((1, 2))
        return (1 - 2 * both / total).mean()


def run(target):
    logits = torch.tensor([[[0.5, -1.0], [2.0, 0.0]]], requires_grad=True)
    value = Dice()(logits, torch.tensor(target))
    value.backward()
    return value, logits.grad


def ordinary():
    return run([[[1.0, 0.0], [1.0, 0.0]]])


def witness():
    return run([[[0.0, 0.0], [0.0, 0.0]]])
