import torch


class Flags(torch.nn.Module):
    def forward(self, bits):
        return torch.log(torch.sigmoid(2 * bits - 1)).sum(-1)


def main():
    return Flags()(torch.tensor([[0, 1], [1, 1]]))
