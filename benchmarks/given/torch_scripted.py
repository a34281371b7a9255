import torch


class Pool(torch.nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        kept = x[mask]
        return kept.mean() / kept.std()


def main():
    x = torch.tensor([1.0, -2.0, 3.0])
    return torch.jit.script(Pool())(x, x > 0)
