"""A policy gradient with distributions, advantages of unit variance, a clipped ratio and -inf masks that are meant."""

import torch
from torch.distributions import Categorical, Independent, Normal, kl_divergence

torch.manual_seed(0)
policy = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Tanh(), torch.nn.Linear(16, 3))
value = torch.nn.Linear(4, 1)
optimizer = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=3e-3, eps=1e-5)
states = torch.randn(32, 4)
legal = torch.rand(32, 3) > 0.2
legal[:, 0] = True


def distribution(states):
    return Categorical(logits=policy(states).masked_fill(~legal, -1e9))


with torch.no_grad():
    old = distribution(states)
    actions = old.sample()
    before = old.log_prob(actions)
    rewards = (actions == 1).float() + 0.1 * torch.randn(32)
for epoch in range(3):
    now = distribution(states)
    guess = value(states).squeeze(-1)
    advantage = rewards - guess.detach()
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    ratio = torch.exp(now.log_prob(actions) - before)
    clipped = ratio.clamp(0.8, 1.2)
    loss = -torch.min(ratio * advantage, clipped * advantage).mean()
    loss = loss + 0.5 * (rewards - guess).square().mean() - 0.01 * now.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, loss.item(), ratio.max().item(), kl_divergence(Categorical(probs=old.probs), now).mean().item())
gaussian = Independent(Normal(torch.zeros(2), torch.ones(2) * 0.5), 1)
print(gaussian.log_prob(gaussian.rsample()), gaussian.entropy())
scores = torch.zeros(2, 3).masked_fill(torch.tensor([[False, True, True], [False, False, True]]), float("-inf"))
print(torch.softmax(scores, -1), torch.nn.functional.scaled_dot_product_attention(*[torch.ones(1, 2, 4)] * 3))
