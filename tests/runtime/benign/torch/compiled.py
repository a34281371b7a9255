"""torch.compile: a function with a graph break, a module in training, dynamic shapes, a compiled optimizer's step."""

import torch

torch.manual_seed(0)


@torch.compile(backend="aot_eager")
def scored(x, y):
    z = torch.log(x.abs() + 1e-3) * y
    if z.sum() > 0:
        z = z - z.max()
    return torch.softmax(z, -1).clamp_min(1e-9).log()


print(scored(torch.randn(2, 3), torch.ones(3)), scored(torch.randn(5, 3), torch.ones(3)))
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
compiled = torch.compile(net, backend="aot_eager")
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(6, 3)
for _ in range(3):
    optimizer.zero_grad()
    loss = compiled(x).square().mean().sqrt()
    loss.backward()
    optimizer.step()
    print(loss.item())
print(net[1].running_mean, net[3].weight.grad)
