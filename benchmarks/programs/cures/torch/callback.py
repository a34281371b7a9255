import torch


class Monitor:
    def __init__(self, state):
        self.state = state

    def __call__(self, probabilities):
        self.state.mul_(0.5)


def score(state, monitor):
    probabilities = torch.softmax(state, -1)
    monitor(probabilities)
    return torch.log(probabilities)


def ordinary():
    state = torch.tensor([1.0, 2.0, -1.0])
    return score(state, Monitor(state)), state


def witness():
    state = torch.tensor([0.0, 300.0])
    return score(state, lambda p: None)
