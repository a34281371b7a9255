import torch


def positive_mean(x):
    return x[x > 0].mean()


class Net(torch.nn.Module):
    def forward(self, x):
        return positive_mean(x)


def main():
    x = torch.tensor([1.0, -2.0, 3.0])
    return torch.export.export(Net(), (x,)).module()(x)
