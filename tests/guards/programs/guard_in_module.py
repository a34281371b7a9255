"""The module that is called has the guard."""

# --- torch: a clamp in forward
import torch
from torch import nn


class Scale(nn.Module):
    def forward(self, x):
        x = x.relu()
        x = x.clamp(min=1e-4)  # guard
        return x


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = Scale()

    def forward(self, x):
        return torch.log(self.scale(x))


# runs: Head()(-torch.ones(3))

# --- torch: in a property
import torch
from torch import nn


class Gaussian(nn.Module):
    def __init__(self):
        super().__init__()
        self.raw = nn.Parameter(torch.zeros(3))

    @property
    def rate(self):
        return self.raw.relu() + 1e-4  # guard: else return self.raw.relu()

    def forward(self, x):
        return x / self.rate


# runs: Gaussian()(torch.ones(3))

# --- keras: a layer
import keras
from keras import layers, ops


class Positive(layers.Layer):
    def call(self, x):
        x = ops.relu(x)
        x = ops.maximum(x, 1e-4)  # guard
        return x


class Head(layers.Layer):
    def __init__(self):
        super().__init__()
        self.positive = Positive()

    def call(self, x):
        return ops.log(self.positive(x))


# runs: Head()(-ops.ones((2, 3)))

# --- torch: an optional clip in forward
import torch
from torch import nn


class Variance(nn.Module):
    def __init__(self, clip: bool = True):
        super().__init__()
        self.clip = clip
        self.activation = nn.Softplus()

    def forward(self, x):
        if self.clip:  # guard
            x = torch.clip(x, min=-80.0, max=80.0)  # guard
        return self.activation(x)


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.variance = Variance()

    def forward(self, x):
        return self.variance(x).sqrt()


# runs: torch.autograd.functional.jacobian(Head(), torch.tensor([-200.0, 0.0]))
