"""Policy gradient on a logged bandit with two contexts: the policy module ends in `self.softmax`.

The longer it trains the surer it is, until an action has probability 0 and its logarithm is -inf.
"""

import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self, observations, actions):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(observations, 32), nn.Tanh(), nn.Linear(32, actions))
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, observation):
        return self.softmax(self.layers(observation))


def policy_loss(policy, observations, actions, rewards):
    probs = policy(observations)
    log_probs = probs.log()
    chosen = log_probs.gather(1, actions.unsqueeze(1)).squeeze(1)
    return -(chosen * rewards).mean()


def main(steps=200):
    torch.manual_seed(0)
    policy = Policy(2, 3)
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.5)
    observations = torch.eye(2).repeat(16, 1)
    actions = torch.randint(3, (32,))
    rewards = torch.where(actions == observations.argmax(dim=1), 1.0, -1.0)
    loss = torch.zeros(())
    for step in range(steps):
        loss = policy_loss(policy, observations, actions, rewards)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 50 == 0:
            print(f"step {step:3d}  loss {loss.item():.4f}")
    return loss.item()


if __name__ == "__main__":
    main()
