import torch
import torch.nn.functional as F


def loss(logits, target):
    # the temperature of the teacher
    p = F.softmax(logits / 2.0, dim=-1)  # calibrated on held-out data, see eq. 4
    # only the labelled class counts
    picked = torch.log(p)  # nats
    return -picked.gather(1, target[:, None]).mean()


def run(logits):
    logits = torch.tensor(logits, requires_grad=True)
    value = loss(logits, torch.tensor([0]))
    value.backward()
    return value, logits.grad


def ordinary():
    return run([[1.0, 2.0, 0.5]])


def witness():
    return run([[0.0, 500.0, 0.5]])
