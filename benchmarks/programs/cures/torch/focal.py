import torch


def focal(logits, labels, gamma=2.0):
    p = torch.softmax(logits, dim=-1)
    chosen = p.gather(-1, labels[:, None])[:, 0]
    return (-((1 - chosen) ** gamma) * chosen.log()).mean()


def run(rows):
    logits = torch.tensor(rows, requires_grad=True)
    value = focal(logits, torch.tensor([0, 1]))
    value.backward()
    return value, logits.grad


def ordinary():
    return run([[1.0, 0.5, -1.0], [0.2, 0.1, 0.3]])


def witness():
    return run([[-150.0, 0.5, 1.0], [0.2, 0.1, 0.3]])
