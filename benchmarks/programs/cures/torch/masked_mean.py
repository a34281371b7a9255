import torch


def masked_mean(values, mask):
    kept = mask.float()
    return (values * kept).sum(-1) / kept.sum(-1)


def run(values, mask):
    x = torch.tensor(values, requires_grad=True)
    value = masked_mean(x, torch.tensor(mask))
    value.sum().backward()
    return value, x.grad


def ordinary():
    return run([[1.0, 2.0, 4.0]], [[True, False, True]])


def witness():
    return run([[1.0, 2.0, 4.0]], [[False, False, False]])
