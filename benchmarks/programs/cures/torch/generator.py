import torch


def stages(x):
    p = torch.softmax(x, -1)
    yield p
    yield torch.log(p)


def read(x, reused):
    found = []
    for part in stages(x):
        found.append(part.clone())
        if reused:
            x.zero_()
    return found


def ordinary():
    return read(torch.tensor([1.0, 2.0]), True), read(torch.tensor([0.5, -0.5]), False)


def witness():
    return read(torch.tensor([0.0, 200.0]), False)
