import torch
import torch.fx


class Pool(torch.nn.Module):
    def forward(self, x, mask):
        return x[mask].mean()


def main():
    x = torch.tensor([1.0, -2.0, 3.0])
    return torch.fx.symbolic_trace(Pool())(x, x > 0)
