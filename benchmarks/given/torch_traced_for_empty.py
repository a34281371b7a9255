import torch


def pooled(x):
    return x[x > 0].mean()


class Pool(torch.nn.Module):
    def forward(self, x):
        return pooled(x) + 1


def main():
    x = torch.tensor([1.0, -2.0, 3.0])
    traced = torch.jit.trace(Pool(), (x,), check_trace=False)
    return traced(x), torch.isnan(traced(-x.abs()))
