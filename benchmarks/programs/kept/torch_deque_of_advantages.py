"""The last advantages stay in a deque of an agent; an episode of one step has no spread."""

import sys
from collections import deque

import torch


class Agent:
    def __init__(self):
        self.policy = torch.nn.Linear(3, 1)
        self.recent = deque(maxlen=4)

    @torch.no_grad()
    def remember(self, rewards):
        self.recent.append((rewards - rewards.mean()) / rewards.std())


torch.manual_seed(0)
agent = Agent()
optimizer = torch.optim.SGD(agent.policy.parameters(), lr=0.1)
for episode in range(3):
    loss = agent.policy(torch.randn(5, 3)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    agent.remember(torch.randn(1 if "bad" in sys.argv and episode == 2 else 5))
print("done", loss.item())
