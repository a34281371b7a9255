"""Constructs of Python through which one file of a project reaches another: what is wrong is seen through each of them.

A program is written once: of «wrong|right», the first part is in the program that has something to be found, the second
in the one that has not. A code at the end of a row is what is found there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from textwrap import indent

import pytest

from tests.project.test_view import found, written

Files = dict[str, str]

EITHER = re.compile(r"«([^|»]*)\|([^»]*)»")
MARK = re.compile(r"  # (NL\d+)$")
WRONG, RIGHT = 1, 2

#: 0 where a class underflows, or kept away from it
SHARES = "torch.softmax(x, -1)«|.clamp(min=1e-6)»"

# ── a logarithm there, what it is taken of here ─────────────────────────────────────────────────────────────────────

NLL = """\
import torch

def nll(p, y, weight=1.0):
    return -weight * (y * torch.log(p)).sum()  # NL101
"""
TABLE = NLL + """
def mse(p, y):
    return ((p - y) ** 2).mean()

LOSSES = {"nll": nll, "mse": mse}
"""
FACTORY = TABLE + """
def build_loss(name):
    if name == "nll":
        return nll
    elif name == "mse":
        return mse
    raise ValueError(name)
"""
LAYER = """\
import torch
from torch import nn

class NLL(nn.Module):
    def forward(self, p, y):
        return -(y * torch.log(p)).sum()  # NL101
"""
BASE = """\
import torch

class Base:
    def nll(self, p, y):
        return -(y * torch.log(p)).sum()  # NL101
"""


def calls(top: str, call: str = "criterion(p, y)", losses: str = NLL) -> Files:
    """A function that gives a softmax to a loss of another file."""
    step = f"def step(x, y):\n    p = {SHARES}\n    return {call}\n"
    return {"losses.py": losses, "train.py": f"import torch\n{top}\n\n{step}"}


def holds(top: str, loss: str, losses: str = NLL) -> Files:
    """The same for an object that holds the loss."""
    init = f"    def __init__(self):\n        self.criterion = {loss}\n"
    step = f"    def step(self, x, y):\n        return self.criterion({SHARES}, y)\n"
    return {"losses.py": losses, "train.py": f"import torch\n{top}\n\nclass Trainer:\n{init}\n{step}"}


def inherits(method: str, nll: str) -> Files:
    """The same for an object of a subclass."""
    step = f"    def {method}(self, x, y):\n        return {nll}({SHARES}, y)\n"
    return {"losses.py": BASE, "train.py": f"import torch\nfrom losses import Base\n\nclass Net(Base):\n{step}"}


CALLED = {
    "a function": calls("from losses import nll as criterion"),
    "an alias": calls("from losses import nll\n\ncriterion = nll"),
    "a partial": calls("from functools import partial\nfrom losses import nll\n\ncriterion = partial(nll, weight=2.0)"),
    "a compiled function": calls("from losses import nll\n\ncriterion = torch.compile(nll)"),
    "a layer": calls("from losses import NLL\n\ncriterion = NLL()", losses=LAYER),
    "a table here": calls("from losses import nll\n\nLOSSES = {'nll': nll}", "LOSSES['nll'](p, y)"),
    "a table there": calls("from losses import LOSSES", "LOSSES['nll'](p, y)", TABLE),
    "a table with an unknown key": calls("import os\nfrom losses import LOSSES", "LOSSES[os.environ['LOSS']](p, y)", TABLE),
    "a dictionary of arguments": calls("from losses import nll", "nll(**{'p': p, 'y': y})"),
    "a function that is given": calls("from losses import nll\n\ndef run(f, p, y):\n    return f(p, y)", "run(nll, p, y)"),
    "an attribute": holds("from losses import nll", "nll"),
    "an attribute that is a layer": holds("from losses import NLL", "NLL()", LAYER),
    "a factory": holds("from losses import build_loss", "build_loss('nll')", FACTORY),
    "an inherited method": inherits("step", "self.nll"),
    "super": inherits("nll", "super().nll"),
    "a sibling that hands it on": {"lib.py": "from losses import nll\n", **calls("from lib import nll as criterion")},
    "a package that hands it on": {
        "lib/__init__.py": "from .losses import nll\n",
        "lib/losses.py": NLL,
        "train.py": calls("from lib import nll as criterion")["train.py"],
    },
    "a directory src": {
        "src/lib/__init__.py": "",
        "src/lib/losses.py": NLL,
        "scripts/train.py": calls("from lib.losses import nll as criterion")["train.py"],
    },
    "an import in the function": {
        "losses.py": NLL,
        "train.py": f"""\
import torch

def step(x, y):
    from losses import nll

    return nll({SHARES}, y)
""",
    },
    "code that runs with the file": {
        "losses.py": NLL,
        "train.py": f"""\
import torch
from losses import nll

if __name__ == "__main__":
    x, y = torch.randn(2, 3)
    print(nll({SHARES}, y))
""",
    },
    "a layer that a subclass sets": {
        "base.py": """\
import torch
from torch import nn

class Base(nn.Module):
    def loss(self, x, y):
        return -(y * torch.log(self.act(x))).sum()  # NL101
""",
        "net.py": """\
from torch import nn
from base import Base

class Net(Base):
    def __init__(self):
        super().__init__()
        self.act = «nn.Softmax(dim=-1)|nn.Identity()»
""",
    },
    "a class that is given": {
        "head.py": """\
import torch
from torch import nn

class Head(nn.Module):
    def __init__(self, act_layer):
        super().__init__()
        self.act = act_layer()

    def forward(self, x):
        return torch.log(self.act(x))  # NL101
""",
        "main.py": "from torch import nn\nfrom head import Head\n\nhead = Head(act_layer=nn.«Softmax|Identity»)\n",
    },
    "a model that is given": {
        "trainer.py": """\
import torch

class Trainer:
    def __init__(self, net):
        self.net = net

    def loss(self, x, y):
        return -(y * torch.log(self.net(x))).sum()  # NL101
""",
        "main.py": f"""\
import torch
from trainer import Trainer

class Net(torch.nn.Module):
    def forward(self, x):
        return {SHARES}

def main(loader):
    trainer = Trainer(Net())
    for x, y in loader:
        trainer.loss(x, y).backward()
""",
    },
    "an item of a dictionary that is given": {
        "losses.py": "import torch\n\ndef nll(out, y):\n    return -(y * torch.log(out['p'])).sum()  # NL101\n",
        "train.py": f"import torch\nfrom losses import nll\n\ndef step(x, y):\n    return nll({{'p': {SHARES}}}, y)\n",
    },
    "a loss that a model is compiled with": {
        "losses.py": """\
from keras import ops

def entropy(target, output):
    return -ops.mean(target * ops.log(output))  # NL101
""",
        "train.py": """\
import keras
from keras import layers
from losses import entropy

inputs = keras.Input((4,))
model = keras.Model(inputs, layers.Dense(3, activation="softmax")(inputs)«| + 1e-6»)
model.compile("adam", loss=entropy)
""",
    },
    "a number in a call": {
        "layers.py": "def unit(x, eps):\n    return x / (x.norm() + eps)  # NL303\n",
        "train.py": "import torch\nfrom layers import unit\n\ndef step(x):\n    return unit(torch.tanh(x), eps=«0.0|1e-6»)\n",
    },
    "a number in a partial": {
        "layers.py": "import torch\n\ndef unit(x, eps):\n    return x / (x.norm() + eps)  # NL303\n",
        "train.py": """\
from functools import partial
from layers import unit

normalized = partial(unit, eps=«0.0|1e-6»)

def step(x):
    return normalized(x).sum()
""",
    },
    "a count": {
        "losses.py": "import torch\n\ndef mean(total, n):\n    return total / n  # NL301\n",
        "train.py": """\
from losses import mean

def step(x):
    mask = x > 0
    return mean((x * mask).sum(), mask.sum()«|.clamp(min=1)»)
""",
    },
    "logits that are none": {
        "losses.py": """\
import torch.nn.functional as F

def criterion(h, y):
    return F.binary_cross_entropy_with_logits(h, y)  # NL702
""",
        "train.py": """\
import torch
from losses import criterion

def step(x, y):
    return criterion(«torch.sigmoid|torch.tanh»(x), y)
""",
    },
}

# ── a logarithm here, what it is taken of there ─────────────────────────────────────────────────────────────────────

SOFT = f"""\
import torch

def soft(x):
    return {SHARES}
"""
ENTRIES = SOFT + """
def squashed(x):
    return torch.sigmoid(x)«|.clamp(min=1e-6)»

ACTIVATIONS = {"softmax": soft, "sigmoid": squashed}

def activation(name):
    if name not in ACTIVATIONS:
        raise KeyError(name)
    return ACTIVATIONS[name]
"""
NET = f"""\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        return self.shares(self.fc(x))

    def shares(self, x):
        return {SHARES}
"""
OBJECT = f"""\
import torch

class Categorical:
    def __init__(self, x):
        self.x = x

    @property
    def shares(self):
        x = self.x
        return {SHARES}
"""


def logs(top: str, used: str = "soft(x)", layers: str = SOFT, given: str = "x") -> Files:
    """A function that takes the logarithm of what another file returns."""
    loss = f"def loss({given}, y):\n    return -(y * torch.log({used})).sum()  # NL101\n"
    return {"layers.py": layers, "train.py": f"import torch\n{top}\n\n{loss}"}


RETURNED = {
    "a function of a function": {
        **logs("from shares import shares", "shares(x)"),
        "shares.py": "from layers import soft\n\ndef shares(x):\n    return soft(2 * x)\n",
    },
    "any entry of a table": logs("import os\nfrom layers import ACTIVATIONS", "ACTIVATIONS[os.environ['ACT']](x)", ENTRIES),
    "an entry that a function looks up": logs("from layers import activation", "activation('softmax')(x)", ENTRIES),
    "an object of a class in a table": logs("from layers import MODELS", "MODELS['net']()(x)", NET + "\nMODELS = {'net': Net}\n"),
    "a model on its device": logs(
        "from layers import build\n\nnet = build('cpu')",
        "net(x)",
        NET + "\ndef build(device):\n    net = Net().to(device)\n    net.train()\n    return torch.compile(nn.DataParallel(net))\n",
    ),
    "a property": logs("from layers import Categorical", "Categorical(x).shares", OBJECT),
    "a function that makes one": logs(
        "from layers import softer\n\nsoft = softer(2.0)",
        layers=f"import torch\n\ndef softer(t):\n    def soft(x):\n        x = x / t\n        return {SHARES}\n\n    return soft\n",
    ),
    "one of several that are returned": logs(
        "from layers import outputs", "outputs(x)[1]", f"import torch\n\ndef outputs(x):\n    return x, {SHARES}\n"
    ),
    "a layer of a sequence": logs(
        "from layers import mlp\n\nnet = mlp([4, 8, 3])",
        "net(x)",
        """\
from torch import nn

def mlp(sizes):
    layers = []
    for n_in, n_out in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(n_in, n_out), nn.ReLU()]
    layers.append(nn.«Softmax(dim=-1)|LayerNorm(3)»)
    return nn.Sequential(*layers)
""",
    ),
    "a layer in a list": {
        "layers.py": NET,
        "net.py": """\
import torch
from torch import nn
from layers import Net

class Ensemble(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.nets = nn.ModuleList([Net() for _ in range(size)])

    def forward(self, x):
        return sum(torch.log(net(x)) for net in self.nets)  # NL101
""",
    },
    "super's forward": {
        "layers.py": NET,
        "net.py": """\
import torch
from layers import Net

class Logs(Net):
    def forward(self, x):
        return torch.log(super().forward(x))  # NL101
""",
    },
    "a generator": {
        "batches.py": """\
import torch

def batches(rows, size):
    for i in range(0, len(rows), size):
        x = torch.stack(rows[i : i + size])
        yield x, (x > 0).sum()«|.clamp(min=1)»
""",
        "train.py": """\
from batches import batches

def means(rows):
    return [x.sum() / n for x, n in batches(rows, 8)]  # NL301
""",
    },
    "a parameter": logs("from layers import Net", "net(x)", NET, "net: Net, x"),
    "a parameter that may be None": logs("from layers import Net", "net(x)", NET, "net: Net | None, x"),
    "a parameter whose type is a text": logs(
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from layers import Net", "net(x)", NET, "net: 'Net', x"
    ),
    "a parameter's method": logs("from layers import Net", "net.shares(x)", NET, "net: Net, x"),
    "a parameter's property": logs("from layers import Categorical", "x.shares", OBJECT, "x: Categorical"),
    "a parameter that is held": {
        "layers.py": NET,
        "train.py": """\
import torch
from layers import Net

class Trainer:
    def __init__(self, net: Net):
        self.net = net

    def loss(self, x, y):
        return -(y * torch.log(self.net(x))).sum()  # NL101
""",
    },
}

# ── numbers of a configuration ──────────────────────────────────────────────────────────────────────────────────────

DATACLASS = """\
from dataclasses import dataclass

@dataclass
class Config:
    lr: float = 1e-3
    eps: float = «0.0|1e-6»
"""
HELD = """\
import torch
from config import Config

class Unit(torch.nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg

    def forward(self, x):
        return x / (x.norm() + self.cfg.eps)  # NL303
"""
#: that a default is 0 is doubtful, and not shown without this
DOUBTS = {"pyproject.toml": "[tool.nanlint]\nconfidence = 'possible'\n"}


def divides(config: str, top: str, eps: str = "cfg.eps", given: str = "x") -> Files:
    """A function that divides by a norm and the epsilon of a configuration."""
    unit = f"def unit({given}):\n    return x / (x.norm() + {eps})  # NL303\n"
    return {"config.py": config, "train.py": f"import torch\n{top}\n\n{unit}"}


def tiny(files: Mapping[str, str]) -> Files:
    """The same where the epsilon is not 0 before it is rounded to single precision."""
    return {name: text.replace("«0.0|", "«1e-50|").replace("NL303", "NL501") for name, text in files.items()}


def floored(config: str, top: str, floor: str) -> Files:
    """A function that takes the logarithm of a softmax above the floor of a configuration."""
    loss = f"def loss(x):\n    return torch.log(torch.softmax(x, -1).clamp(min={floor})).mean()  # NL208\n"
    return {"config.py": config, "train.py": f"import torch\n{top}\n\n{loss}"}


CONFIGURED = {
    "an item": divides("CONFIG = {'loss': {'eps': «0.0|1e-6»}}\n", "from config import CONFIG", "CONFIG['loss']['eps']"),
    "an attribute of a class": divides("class Config:\n    eps = «0.0|1e-6»\n", "from config import Config", "Config.eps"),
    "an object of a dataclass": divides(DATACLASS, "from config import Config\n\ncfg = Config()"),
    "an object that the function makes": divides(DATACLASS, "from config import Config", "Config(lr=1e-2).eps"),
    "an object there": divides(
        DATACLASS.replace("import dataclass", "import dataclass, field")
        .replace("@dataclass", "@dataclass(frozen=True)")
        .replace("«0.0|1e-6»", "field(default=«0.0|1e-6»)")
        + "\ncfg = Config()\n",
        "from config import cfg",
    ),
    "a named tuple": divides(
        "from typing import NamedTuple\n\nclass Config(NamedTuple):\n    eps: float = «0.0|1e-6»\n",
        "from config import Config\n\ncfg = Config()",
    ),
    "a parameter of its class": DOUBTS | divides(DATACLASS, "from config import Config", given="x, cfg: Config"),
    "an attribute of its class": {**DOUBTS, "config.py": DATACLASS, "net.py": HELD},
    "a tiny number of a parameter": tiny(divides(DATACLASS, "from config import Config", given="x, cfg: Config")),
    "a tiny number of an attribute": tiny({"config.py": DATACLASS, "net.py": HELD}),
    # what is not known may be 0, which is not said
    "a floor of the environment": floored(
        "import os\n\nFLOOR = «0.0|float(os.environ['FLOOR'])»\n", "from config import FLOOR", "FLOOR"
    ),
    "a floor of the command line": floored(
        "import argparse\n\nparser = argparse.ArgumentParser()\nparser.add_argument('--floor', type=float)\n"
        "FLOOR = «0.0|parser.parse_args().floor»\n",
        "from config import FLOOR",
        "FLOOR",
    ),
    "a floor of a namespace": floored(
        "from types import SimpleNamespace\n\ncfg = SimpleNamespace(floor=1e-6)\nFLOOR = «0.0|cfg.floor»\n",
        "from config import FLOOR",
        "FLOOR",
    ),
}

# ── what a decorator does, and what is changed in place ─────────────────────────────────────────────────────────────


def wrapping(body: str, train: str) -> Files:
    """A decorator whose wrapper does so, and its user."""
    wrapper = f"    @functools.wraps(function)\n    def wrapper(x):\n{indent(body, ' ' * 8)}\n    return wrapper\n"
    text = f"import functools\n\nimport torch\n\ndef wrapped(function):\n{wrapper}"
    return {"wrappers.py": text, "train.py": f"import torch\nfrom wrappers import wrapped\n\n{train}"}


DECORATED = {
    "a wrapper that hands on": wrapping(
        "print(x)\nreturn function(x)\n",
        f"@wrapped\ndef soft(x):\n    return {SHARES}\n\ndef loss(x):\n    return torch.log(soft(x)).sum()  # NL101\n",
    ),
    "a wrapper that clamps the result": wrapping(
        "return function(x)«|.clamp(min=1e-6)»\n",
        "@wrapped\ndef soft(x):\n    return torch.softmax(x, -1)\n\ndef loss(x):\n    return torch.log(soft(x)).sum()  # NL101\n",
    ),
    "a wrapper that makes the softmax": wrapping(
        "x = function(x)\nreturn " + SHARES + "\n",
        "@wrapped\ndef soft(x):\n    return 2 * x\n\ndef loss(x):\n    return torch.log(soft(x)).sum()  # NL101\n",
    ),
    "a wrapper that clamps the argument": wrapping(
        "return function(x«|.clamp(min=1e-6)»)\n",
        "@wrapped\ndef nll(p):\n    return -torch.log(p).mean()  # NL101\n\ndef loss(x):\n    return nll(torch.softmax(x, -1))\n",
    ),
    "a wrapper that raises": wrapping(
        "if «not torch.is_tensor(x)|(x <= 0).any()»:\n    raise ValueError(x)\nreturn function(x)\n",
        "@wrapped\ndef logs(n):\n    return torch.log(n).mean()  # NL103\n\ndef loss(x):\n    return logs(torch.relu(x))\n",
    ),
    "a wrapper that takes no gradients": wrapping(
        "with torch.«autocast('cpu')|no_grad()»:\n    return function(x)\n",
        "@wrapped\ndef length(x):\n    return torch.sqrt((x**2).sum(-1))  # NL201\n",
    ),
    "a wrapper with an argument": {
        "wrappers.py": """\
import jax.numpy as jnp

def floored(least):
    def decorate(function):
        def bounded(x):
            return jnp.maximum(function(x), least)

        return bounded

    return decorate
""",
        "train.py": """\
import jax
import jax.numpy as jnp
from wrappers import floored

@floored(«0.0|1e-6»)
def soft(x):
    return jax.nn.softmax(x)

def loss(x, y):
    return -jnp.sum(y * jnp.log(soft(x)))  # NL208
""",
    },
    "a wrapper that compiles": {
        "compat.py": """\
import jax

DEBUG = False

def jit(function, **options):
    return function if DEBUG else jax.jit(function, **options)
""",
        "train.py": """\
import jax
import jax.numpy as jnp
from compat import jit

@jit
def soft(x):
    return jax.nn.softmax(x)«| + 1e-6»

def loss(x, y):
    return -jnp.sum(y * jnp.log(soft(x)))  # NL101
""",
    },
    "a wrapper that registers": {
        "registry.py": """\
REGISTRY = {}

def register(name):
    def add(function):
        REGISTRY[name] = function
        return function

    return add
""",
        **logs(
            "from layers import soft",
            layers=f'import torch\nfrom registry import register\n\n@register("soft")\ndef soft(x):\n    return {SHARES}\n',
        ),
    },
    "a method that changes": {
        "floors.py": "def floor_(p):\n    p.clamp_(min=«0.0|1e-6»)\n",
        "train.py": """\
import torch
from floors import floor_

def loss(x):
    p = torch.softmax(x, -1)
    floor_(p)
    return torch.log(p).mean()  # NL208
""",
    },
    "an item that changes": {
        "floors.py": "def no_zeros(n):\n    n[n «<|<=» 0] = 1.0\n",
        "train.py": """\
import torch
from floors import no_zeros

def loss(x):
    n = torch.relu(x)
    no_zeros(n)
    return torch.log(n).mean()  # NL103
""",
    },
    "an attribute that changes": {
        "state.py": """\
import torch

class State:
    def __init__(self, x):
        self.p = torch.softmax(x, -1)

    def floor_(self):
        self.p = self.p.clamp(min=«0.0|1e-6»)
""",
        "train.py": """\
import torch
from state import State

def loss(x):
    state = State(x)
    state.floor_()
    return torch.log(state.p).mean()  # NL208
""",
    },
}

# ── training loops ──────────────────────────────────────────────────────────────────────────────────────────────────

LOGITS = NET.replace("self.shares(self.fc(x))", "«self.shares(self.fc(x))|self.fc(x)»")
ENGINE = """\
import torch

def train_epoch(model, criterion, optimizer, loader):
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()  # NL701
        optimizer.step()
"""
FUNCTIONAL = """\
import torch.nn.functional as F

def train_epoch(model, loader):
    for x, y in loader:
        F.cross_entropy(model(x), y).backward()  # NL701
"""
TRAINER = """\
import torch

class Trainer:
    def __init__(self, model, criterion):
        self.model = model
        self.criterion = criterion

    def fit(self, loader):
        for x, y in loader:
            self.criterion(self.model(x), y).backward()  # NL701
"""


def trains(engine: str, main: str) -> Files:
    """A model, a loop that knows of none, and a file that brings them together."""
    return {"model.py": LOGITS, "engine.py": engine, "main.py": f"import torch\nfrom model import Net\n{main}"}


TRAINED = {
    "a loop that is given its model": trains(
        FUNCTIONAL,
        "from engine import train_epoch\n\ndef main(loader):\n    model = Net().to('cpu')\n    train_epoch(model, loader)\n",
    ),
    "a loop that runs with the file": trains(
        FUNCTIONAL, "from engine import train_epoch\n\nif __name__ == '__main__':\n    train_epoch(Net(), [])\n"
    ),
    "a loop that is given its model and its loss": trains(
        ENGINE,
        """\
from engine import train_epoch

def main(loader):
    model = Net()
    train_epoch(model, torch.nn.CrossEntropyLoss(), torch.optim.Adam(model.parameters()), loader)
""",
    ),
    "a loop of an object that is given both": trains(
        TRAINER, "from engine import Trainer\n\ndef main(x):\n    Trainer(Net(), torch.nn.CrossEntropyLoss()).fit(x)\n"
    ),
    "a loop of Lightning": {
        "losses.py": NLL,
        "module.py": f"""\
import lightning
import torch
from losses import nll

class Module(lightning.LightningModule):
    def forward(self, x):
        return {SHARES}

    def training_step(self, batch, batch_idx):
        x, y = batch
        return nll(self(x), y)
""",
    },
    "a metric that takes no gradients": {
        "metrics.py": "import torch\n\ndef distance(x, y):\n    return torch.sqrt(((x - y) ** 2).sum(-1))  # NL201\n",
        "train.py": """\
import torch
from metrics import distance

def step(model, x, y):
    with torch.«autocast("cpu")|no_grad()»:
        return distance(model(x), y).mean()
""",
    },
}

# ── what other frameworks have ──────────────────────────────────────────────────────────────────────────────────────

JAX_SOFT = """\
import jax

def soft(x):
    return jax.nn.softmax(x)«| + 1e-6»
"""


def jax_logs(top: str, used: str, layers: str = JAX_SOFT, given: str = "x") -> Files:
    """As ``logs``, in JAX."""
    loss = f"def loss({given}, y):\n    return -jnp.sum(y * jnp.log({used}))  # NL101\n"
    return {"layers.py": layers, "train.py": f"import jax\nimport jax.numpy as jnp\n{top}\n\n{loss}"}


FRAMEWORKS = {
    "jax.vmap": jax_logs("from layers import soft", "jax.vmap(soft)(x)"),
    "jax.jit": jax_logs("from layers import soft\n\nfast = jax.jit(soft)", "fast(x)"),
    "jax.lax.scan": jax_logs(
        "from layers import body",
        "jax.lax.scan(body, 0.0, x)[1]",
        "import jax\n\ndef body(state, x):\n    return state, jax.nn.softmax(x)«| + 1e-6»\n",
    ),
    "jax.vmap of the loss": {
        "losses.py": "import jax.numpy as jnp\n\ndef nll(p, y):\n    return -jnp.sum(y * jnp.log(p))  # NL101\n",
        "train.py": """\
import jax
from losses import nll

def loss(x, y):
    return jax.vmap(nll)(jax.nn.softmax(x)«| + 1e-6», y).mean()
""",
    },
    "jax.value_and_grad of what calls it": {
        "metrics.py": """\
import jax.numpy as jnp

def accuracy(x, y):
    return jnp.sqrt(jnp.sum((x - y) ** 2)«| + 1e-6»)  # NL201
""",
        "train.py": """\
import jax
from metrics import accuracy

def step(w, x, y):
    def loss(w):
        return accuracy(x @ w, y)

    return jax.value_and_grad(loss)(w)
""",
    },
    "flax": jax_logs(
        "from layers import Net\n\nmodel = Net()",
        "model.apply(params, x)",
        """\
import flax.linen as nn

class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.softmax(nn.Dense(3)(x))«| + 1e-6»
""",
        "params, x",
    ),
    "equinox": jax_logs(
        "from layers import Net",
        "jax.vmap(model)(x)",
        """\
import equinox as eqx
import jax

class Net(eqx.Module):
    fc: eqx.nn.Linear

    def __call__(self, x):
        return jax.nn.softmax(self.fc(x))«| + 1e-6»
""",
        "model: Net, x",
    ),
    "optax": {
        "layers.py": "import jax\n\ndef predict(w, x):\n    return jax.nn.«softmax|tanh»(x @ w)\n",
        "train.py": """\
import optax
from layers import predict

def loss(w, x, y):
    return optax.softmax_cross_entropy(predict(w, x), y).mean()  # NL701
""",
    },
    "tf.function": {
        "layers.py": """\
import tensorflow as tf

@tf.function(jit_compile=True)
def soft(x):
    return tf.nn.softmax(x)«| + 1e-6»
""",
        "train.py": """\
import tensorflow as tf
from layers import soft

def loss(x, y):
    return -tf.reduce_sum(y * tf.math.log(soft(x)))  # NL101
""",
    },
    "a sequence of Keras": {
        "model.py": """\
import keras
from keras import layers

def build_model():
    model = keras.Sequential([layers.Dense(8, activation="relu")])
    model.add(layers.Dense(3, activation="«softmax|tanh»"))
    return model
""",
        "train.py": """\
from keras import ops
from model import build_model

model = build_model()

def loss(x, y):
    return -ops.sum(y * ops.log(model(x)))  # NL101
""",
    },
}

# ── what is not seen yet ────────────────────────────────────────────────────────────────────────────────────────────

UNSEEN = {
    "a caller of a caller": {
        "between.py": "from losses import nll\n\ndef loss(p, y):\n    return 2 * nll(p, y)\n",
        **calls("from between import loss as criterion"),
    },
    "a package that hands it on by its name": {
        "lib/__init__.py": "from .losses import nll\n",
        "lib/losses.py": NLL,
        "train.py": calls("import lib", "lib.nll(p, y)")["train.py"],
    },
    "a loop that is given its loss": trains(
        """\
import torch
from model import Net

def train_epoch(criterion, loader):
    model = Net()
    for x, y in loader:
        criterion(model(x), y).backward()  # NL701
""",
        "from engine import train_epoch\n\ndef main(loader):\n    train_epoch(torch.nn.CrossEntropyLoss(), loader)\n",
    ),
    "a loop that names no framework": trains(
        ENGINE.replace("import torch\n", ""),
        """\
from engine import train_epoch

def main(loader):
    model = Net()
    train_epoch(model, torch.nn.CrossEntropyLoss(), torch.optim.Adam(model.parameters()), loader)
""",
    ),
    "a root of what is given": {
        "metrics.py": "import jax.numpy as jnp\n\ndef root(s):\n    return jnp.sqrt(s)  # NL201\n",
        "train.py": """\
import jax
import jax.numpy as jnp
from metrics import root

def loss(x, y):
    return root(jnp.sum((x - y) ** 2)«| + 1e-6»)

step = jax.grad(loss)
""",
    },
    "a quotient of what is given": {
        "layers.py": "def shares(e):\n    return e / e.sum()  # NL401\n",
        "train.py": """\
import numpy as np
from layers import shares

def soft(x):
    return shares(np.exp(x«| - x.max()»))
""",
    },
    "an object that is given to a protocol": {
        "links.py": """\
from typing import Protocol

import jax

class Link(Protocol):
    def __call__(self, x): ...

class Softmax:
    def __call__(self, x):
        return jax.nn.softmax(x)«| + 1e-6»
""",
        "losses.py": """\
import jax.numpy as jnp
from links import Link

def nll(link: Link, x, y):
    return -jnp.sum(y * jnp.log(link(x)))  # NL101
""",
        "train.py": "from links import Softmax\nfrom losses import nll\n\ndef step(x, y):\n    return nll(Softmax(), x, y)\n",
    },
}

PROGRAMS = CALLED | RETURNED | CONFIGURED | DECORATED | TRAINED | FRAMEWORKS | UNSEEN


def written_out(root: Path, name: str, side: int) -> tuple[str, list[tuple[str, int, str]]]:
    """Write one of the two programs; return the file that has the mark, and what is to be found where it is wrong."""
    (place,) = marks = [
        (file, row, mark[1])
        for file, text in PROGRAMS[name].items()
        for row, line in enumerate(text.splitlines(), 1)
        if (mark := MARK.search(line))
    ]
    files = {file: re.sub(MARK.pattern, "", EITHER.sub(rf"\{side}", text), flags=re.M) for file, text in PROGRAMS[name].items()}
    written(root, files)
    return place[0], marks


@pytest.mark.parametrize("name", PROGRAMS)
def test_wrong(tmp_path: Path, name: str) -> None:
    file, marks = written_out(tmp_path, name, WRONG)
    assert found(tmp_path, file) == found(tmp_path, ".") == marks


@pytest.mark.parametrize("name", PROGRAMS)
def test_right(tmp_path: Path, name: str) -> None:
    file, _ = written_out(tmp_path, name, RIGHT)
    assert found(tmp_path, file) == found(tmp_path, ".") == []
