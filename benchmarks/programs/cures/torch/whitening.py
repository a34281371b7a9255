import torch


def whiten(x, given=None):
    mean, spread = x.mean(0), x.std(0)
    if given is not None:
        mean, spread = given
    return (x - mean) / spread, spread.log().sum()


def run(rows):
    x = torch.tensor(rows, requires_grad=True)
    value, volume = whiten(x)
    (value.square().sum() + volume).backward()
    return value, volume, x.grad


def ordinary():
    return run([[1.0, 2.0], [3.0, -1.0], [0.0, 0.5]]), whiten(torch.ones(2, 2), (torch.zeros(2), torch.ones(2)))


def witness():
    return run([[1.0, 2.0], [1.0, -1.0], [1.0, 0.5]])
