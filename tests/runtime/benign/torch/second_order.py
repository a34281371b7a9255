"""A gradient penalty, LBFGS with a closure, an implicit layer, accumulated gradients, a frozen part, weight averages."""

import copy

import torch

torch.manual_seed(0)
critic = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.LeakyReLU(0.2), torch.nn.Linear(8, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.0, 0.9), foreach=False)
real, fake = torch.randn(8, 2), torch.randn(8, 2) + 1
for step in range(3):
    mix = torch.rand(8, 1)
    between = (mix * real + (1 - mix) * fake).requires_grad_()
    (gradient,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
    penalty = (gradient.norm(dim=1) - 1).square().mean()
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item(), penalty.item())

point = torch.tensor([-1.0, 2.0], requires_grad=True)
lbfgs = torch.optim.LBFGS([point], max_iter=10, line_search_fn="strong_wolfe")


def closure():
    lbfgs.zero_grad()
    value = (1 - point[0]) ** 2 + 100 * (point[1] - point[0] ** 2) ** 2
    value.backward()
    return value


print(lbfgs.step(closure), point)

net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
net[0].requires_grad_(False)
averaged = copy.deepcopy(net)
sgd = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.1)
for step in range(4):
    loss = torch.nn.functional.huber_loss(net(real), fake) / 2
    loss.backward()
    if step % 2:
        sgd.step()
        sgd.zero_grad()
        with torch.no_grad():
            for slow, fast in zip(averaged.parameters(), net.parameters(), strict=True):
                slow.lerp_(fast, 0.1)
print(averaged[2].weight, torch.nn.utils.parameters_to_vector(net.parameters()).norm())
root = torch.tensor(1.0, requires_grad=True)
for _ in range(5):
    root = root - (root**2 - 2) / (2 * root)
print(root)
