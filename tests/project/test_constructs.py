"""What is wrong in one file of a project is seen through whatever Python has to reach it from another.

A program is written once: of «wrong|right», the first makes a program in which something is to be found, the second one
in which nothing is. A comment says what is to be found in its row.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import indent

import pytest

from nanlint.frontend.frames import Frame
from tests.marked import marked
from tests.project.test_view import Finding, found, written

Files = dict[str, str]

EITHER = re.compile(r"«([^|»]*)\|([^»]*)»")
#: 0 where a class underflows, or kept away from it
SHARES = "torch.softmax(x, -1)«|.clamp(min=1e-6)»"


def project(helpers: str, main: str, framework: str = "import torch") -> Files:
    """Two files, of which the main one imports from its helpers."""
    return {"helpers.py": f"{framework}\n\n{helpers}", "main.py": f"{framework}\n{main}"}


# ── the helper fails on what the main file gives it ─────────────────────────────────────────────────────────────────

NLL = "def nll(p, weight=1.0):\n    return -weight * torch.log(p).mean()  # error: [NL101]\n"
FACTORY = """
def brier(p):
    return ((1 - p) ** 2).mean()

LOSSES = {"nll": nll, "brier": brier}

def build_loss(name):
    if name == "nll":
        return nll
    elif name == "brier":
        return brier
    raise ValueError(name)
"""
LAYER = """\
class NLL(torch.nn.Module):
    def forward(self, p):
        return -torch.log(p).mean()  # error: [NL101]
"""
BASE = """\
class Base(torch.nn.Module):
    def nll(self, p):
        return -torch.log(p).mean()  # error: [NL101]
"""
HEAD = """\
class Head(torch.nn.Module):
    def __init__(self, act):
        super().__init__()
        self.act = act

    def forward(self, x):
        return torch.log(self.act(x))  # error: [NL101]
"""
UNIT = "def unit(x, eps):\n    return x / (x.norm(dim=-1, keepdim=True) + eps)  # error: [NL303]\n"


def step(top: str, call: str, helpers: str = NLL) -> Files:
    """A function gives a softmax to what it calls."""
    return project(helpers, f"{top}\n\ndef step(x):\n    p = {SHARES}\n    return {call}\n")


def trainer(name: str, loss: str, helpers: str) -> Files:
    """The same of an object, which holds what it calls."""
    main = f"""\
from helpers import {name}

class Trainer:
    def __init__(self):
        self.criterion = {loss}

    def step(self, x):
        return self.criterion({SHARES})
"""
    return project(helpers, main)


def subclass(body: str, helpers: str = BASE) -> Files:
    """The same of an object of a subclass."""
    return project(helpers, f"from helpers import Base\n\nclass Net(Base):\n{indent(body, '    ')}")


CALLED = {
    "directly": step("from helpers import nll", "nll(p)"),
    "by an alias": step("from helpers import nll\n\nloss = nll", "loss(p)"),
    "by a partial": step(
        "from functools import partial\nfrom helpers import nll\n\nloss = partial(nll, weight=2.0)", "loss(p)"
    ),
    "compiled": step("from helpers import nll\n\nloss = torch.compile(nll)", "loss(p)"),
    "as a layer": step("from helpers import NLL\n\nloss = NLL()", "loss(p)", LAYER),
    "from a table": step("from helpers import nll\n\nLOSSES = {'nll': nll}", "LOSSES['nll'](p)"),
    "from a table of the helper": step("from helpers import LOSSES", "LOSSES['nll'](p)", NLL + FACTORY),
    "by an unknown key": step("import os\nfrom helpers import LOSSES", "LOSSES[os.environ['LOSS']](p)", NLL + FACTORY),
    "with a dictionary of arguments": step("from helpers import nll", "nll(**{'p': p})"),
    "with a dictionary": step("from helpers import nll", "nll({'p': p})", NLL.replace("log(p)", "log(p['p'])")),
    "by what is given it": step("from helpers import nll\n\ndef run(f, p):\n    return f(p)", "run(nll, p)"),
    "by an attribute": trainer("nll", "nll", NLL),
    "by an attribute, as a layer": trainer("NLL", "NLL()", LAYER),
    "by an attribute, from a factory": trainer("build_loss", "build_loss('nll')", NLL + FACTORY),
    "as an inherited method": subclass(f"def step(self, x):\n    return self.nll({SHARES})\n"),
    "by super": subclass(f"def nll(self, x):\n    return super().nll({SHARES})\n"),
    "with what a subclass has set": subclass(
        """\
def __init__(self):
    super().__init__()
    self.act = torch.nn.«Softmax|Identity»(-1)

def step(self, x):
    return self.nll(x)
""",
        BASE.replace("log(p)", "log(self.act(p))"),
    ),
    "through a sibling": {"lib.py": "from helpers import nll\n", **step("from lib import nll", "nll(p)")},
    "through a package": {
        "lib/__init__.py": "from .losses import nll\n",
        "lib/losses.py": f"import torch\n\n{NLL}",
        "main.py": step("from lib import nll", "nll(p)")["main.py"],
    },
    "through a package's attribute": {
        "lib/__init__.py": "from .losses import nll\n",
        "lib/losses.py": f"import torch\n\n{NLL}",
        "main.py": step("import lib", "lib.nll(p)")["main.py"],
    },
    "through a package's module": {
        "lib/__init__.py": "from . import losses\n",
        "lib/losses.py": f"import torch\n\n{NLL}",
        "main.py": step("import lib as l", "l.losses.nll(p)")["main.py"],
    },
    "through a package within a package": {
        "lib/__init__.py": "from . import sub\n",
        "lib/sub/__init__.py": "from .losses import *\n",
        "lib/sub/losses.py": f"import torch\n\n{NLL}",
        "main.py": step("import lib", "lib.sub.nll(p)")["main.py"],
    },
    "from beside src": {
        "src/lib/__init__.py": "",
        "src/lib/losses.py": f"import torch\n\n{NLL}",
        "scripts/main.py": step("from lib.losses import nll", "nll(p)")["main.py"],
    },
    "by a caller's caller": {
        "between.py": "from helpers import nll\n\ndef twice(p):\n    return 2 * nll(p)\n",
        **step("from between import twice", "twice(p)"),
    },
    "by a caller's caller, in one file": project(
        NLL,
        f"from helpers import nll\n\ndef twice(p):\n    return 2 * nll(p)\n\n"
        f"def step(x):\n    return twice({SHARES})\n",
    ),
    "by who calls its caller's caller": {
        "between.py": "from helpers import nll\n\ndef twice(p):\n    return 2 * nll(p)\n",
        "beyond.py": "from between import twice\n\ndef all_of(p):\n    return twice(p) if p.dim() else all_of(-p)\n",
        **step("import beyond", "beyond.all_of(p)"),
    },
    "by who calls its caller's method": {
        "between.py": "from helpers import nll\n\nclass Step:\n    def loss(self, p):\n        return nll(p)\n",
        **step("from between import Step", "Step().loss(p)"),
    },
    "by who makes what holds its argument": {
        "between.py": """\
from helpers import nll

class Step:
    def __init__(self, act):
        self.act = act

    def loss(self, x):
        return nll(self.act(x))
""",
        **project(
            NLL,
            "from between import Step\n\ndef step(x):\n    return Step(torch.nn.«Softmax|Identity»(-1)).loss(x)\n",
        ),
    },
    "where it is imported": project(NLL, f"\ndef step(x):\n    from helpers import nll\n\n    return nll({SHARES})\n"),
    "as the file runs": project(
        NLL,
        f"from helpers import nll\n\nif __name__ == '__main__':\n    x = torch.randn(3)\n    print(nll({SHARES}))\n",
    ),
    "with an activation": project(
        HEAD,
        "from helpers import Head\n\nhead = Head(torch.nn.«Softmax|ELU»())\n\ndef step(x):\n    return head(x)\n",
    ),
    "with a class": project(
        HEAD.replace("= act", "= act()"),
        "from helpers import Head\n\nhead = Head(torch.nn.«Softmax|Identity»)\n\ndef step(x):\n    return head(x)\n",
    ),
    "as made by a method of its class": project(
        HEAD + "\n    @classmethod\n    def of(cls, act):\n        return cls(act)\n",
        "from helpers import Head\n\ndef step(x):\n    return Head.of(torch.nn.«Softmax|ELU»())(x)\n",
    ),
    "with an object of a protocol": project(
        """\
from typing import Protocol

class Link(Protocol):
    def __call__(self, x): ...

def nll(link: Link, x):
    return -torch.log(link(x)).mean()  # error: [NL101]
""",
        f"""\
from helpers import nll

class Softmax:
    def __call__(self, x):
        return {SHARES}

def step(x):
    return nll(Softmax(), x)
""",
    ),
    "with a number": project(UNIT, "from helpers import unit\n\ndef step(x):\n    return unit(x, eps=«0.0|1e-6»)\n"),
    "by a partial with a number": project(
        UNIT,
        "from functools import partial\nfrom helpers import unit\n\nnormed = partial(unit, eps=«0.0|1e-6»)\n\n"
        "def step(x):\n    return normed(x)\n",
    ),
    "with a count": project(
        "def mean(total, n):\n    return total / n  # error: [NL301]\n",
        "from helpers import mean\n\ndef step(x):\n    kept = x > 0\n"
        "    return mean((x * kept).sum(), kept.sum()«|.clamp(min=1)»)\n",
    ),
    "with what are no logits": project(
        "def bce(h, y):\n    return torch.nn.functional.binary_cross_entropy_with_logits(h, y)  # error: [NL702]\n",
        "from helpers import bce\n\ndef step(x, y):\n    return bce(torch.«sigmoid|tanh»(x), y)\n",
    ),
    "with an exponential": project(
        "def shares(e):\n    return e / np.sum(e)  # error: [NL401]\n",
        "from helpers import shares\n\ndef soft(x):\n    return shares(np.exp(x«| - np.max(x)»))\n",
        "import numpy as np",
    ),
    "with squares": project(
        "def root(s):\n    return jnp.sqrt(s)  # error: [NL201]\n",
        "from helpers import root\n\ndef loss(x):\n    return root(jnp.sum(x**2)«| + 1e-6»)\n\nstep = jax.grad(loss)\n",
        "import jax\nimport jax.numpy as jnp",
    ),
}

# ── the helper is registered, and called by who takes it from the registry ──────────────────────────────────────────

REGISTRY = """\
REGISTRY{} = {{}}

def register(name=None):
    def add(function):
        REGISTRY[name or function.__name__] = function
        return function

    return add

def get(name):
    if name not in REGISTRY:
        raise KeyError(name)
    return REGISTRY[name]
"""
REGISTRY_CLASS = """\
class Registry:
    def __init__(self):
        self._functions = {}

    def register(self, name=None):
        def add(function):
            self._functions[name or function.__name__] = function
            return function

        return add

    def get(self, name):
        return self._functions.get(name)

REGISTRY = Registry()
"""
REGISTRY_OF_CLASS = """\
class Registry:
    tables = {"losses": {}}

    @classmethod
    def register(cls, name):
        def add(function):
            cls.tables["losses"][name] = function
            return function

        return add

    @classmethod
    def get(cls, name):
        return cls.tables["losses"][name]

REGISTRY = Registry()
"""
OTHERS = "\n@{}('other')\ndef other(p):\n    return p.mean()\n"


def registered(
    top: str, call: str, *, registry: str = REGISTRY.format(""), by: str = "register", kept: str = NLL
) -> Files:
    """A function that is kept by a decorator, with another one, is called so."""
    files = step(top, call, f"from registry import {by.partition('.')[0]}\n\n@{by}('nll')\n{kept}{OTHERS.format(by)}")
    return {"registry.py": registry, **files}


REGISTERED = {
    "by its name": registered("from registry import REGISTRY", "REGISTRY['nll'](p)"),
    "by one of two names": {
        **registered("from registry import get", "get('nll')(p)"),
        "main.py": "import torch\nfrom registry import get\n\n"
        "def step(x):\n    return get('«nll|other»')(torch.softmax(x, -1))\n",
    },
    "by any name": registered("import os\nfrom registry import REGISTRY", "REGISTRY[os.environ['LOSS']](p)"),
    "by a function": registered("from registry import get", "get('nll')(p)"),
    "by a function, by any name": registered("import os\nimport registry", "registry.get(os.environ['LOSS'])(p)"),
    "in a table of a type": registered(
        "from registry import REGISTRY", "REGISTRY['nll'](p)", registry=REGISTRY.format(": dict[str, object]")
    ),
    "in an object": registered(
        "from registry import REGISTRY",
        "REGISTRY.get('nll')(p)",
        registry=REGISTRY_CLASS,
        by="REGISTRY.register",
    ),
    "in a class": registered(
        "from registry import Registry", "Registry.get('nll')(p)", registry=REGISTRY_OF_CLASS, by="Registry.register"
    ),
    "in a class, by an object": registered(
        "import registry", "registry.REGISTRY.get('nll')(p)", registry=REGISTRY_OF_CLASS, by="REGISTRY.register"
    ),
    "as a class": registered("from registry import get", "get('nll')()(p)", kept=LAYER),
    "in its own file": step(
        "from helpers import get",
        "get('nll')(p)",
        f"{REGISTRY.format('')}\n@register('nll')\n{NLL}{OTHERS.format('register')}",
    ),
}

# ── the main file fails on what the helper returns ──────────────────────────────────────────────────────────────────

SOFT = f"def soft(x):\n    return {SHARES}\n"
ACTIVATIONS = """
def squashed(x):
    return torch.sigmoid(x)«|.clamp(min=1e-6)»

ACTIVATIONS = {"softmax": soft, "sigmoid": squashed}

def activation(name):
    if name not in ACTIVATIONS:
        raise KeyError(name)
    return ACTIVATIONS[name]
"""
NET = f"""\
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 3)

    def forward(self, x):
        return self.shares(self.fc(x))

    def shares(self, x):
        return {SHARES}
"""
BUILD = """
def build(device):
    net = Net().to(device)
    net.train()
    return torch.compile(torch.nn.DataParallel(net))
"""
CATEGORICAL = f"""\
class Categorical:
    def __init__(self, logits):
        self.logits = logits

    @property
    def shares(self):
        x = self.logits
        return {SHARES}
"""
CLOSURE = f"""\
def softer(t):
    def soft(x):
        x = x / t
        return {SHARES}

    return soft
"""
SEQUENCE = """\
def mlp(sizes):
    layers = []
    for n_in, n_out in zip(sizes[:-1], sizes[1:]):
        layers += [torch.nn.Linear(n_in, n_out), torch.nn.ReLU()]
    layers.append(torch.nn.«Softmax|Identity»(-1))
    return torch.nn.Sequential(*layers)
"""
HELD = """\
from helpers import Net

class Trainer:
    def __init__(self, net: Net):
        self.net = net

    def loss(self, x):
        return -torch.log(self.net(x)).mean()  # error: [NL101]
"""
ENSEMBLE = """\
from helpers import Net

class Ensemble(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.nets = torch.nn.ModuleList([Net() for _ in range(size)])

    def forward(self, x):
        return sum(torch.log(net(x)) for net in self.nets)  # error: [NL101]
"""
LOG_NET = """\
from helpers import Net

class LogNet(Net):
    def forward(self, x):
        return torch.log(super().forward(x))  # error: [NL101]
"""
BATCHES = """\
def batches(rows, size):
    for i in range(0, len(rows), size):
        x = torch.stack(rows[i : i + size])
        yield x, (x > 0).sum()«|.clamp(min=1)»
"""
TYPE_CHECKING = "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from helpers import Net"


def logs(top: str, used: str, helpers: str = SOFT, given: str = "x") -> Files:
    """A function takes the logarithm of what it gets."""
    return project(helpers, f"{top}\n\ndef loss({given}):\n    return -torch.log({used}).mean()  # error: [NL101]\n")


FILLED = """\
from registry import {0}

@{1}()
def soft(x):
    return {2}

@{1}('squash')
def squashed(x):
    return torch.sigmoid(x)«|.clamp(min=1e-6)»
"""


def kept(top: str, used: str, *, registry: str = REGISTRY_CLASS, by: str = "REGISTRY.register") -> Files:
    """The same of what decorators have put into a registry, and nobody imports."""
    helpers = FILLED.format(by.partition(".")[0], by, SHARES)
    return {"registry.py": registry, **logs(top, used, helpers)}


RETURNED = {
    "from a registry": kept("from registry import REGISTRY", "REGISTRY.get('soft')(x)"),
    "from a registry of a class": kept(
        "import registry",
        "registry.Registry.get('soft')(x)",
        registry=REGISTRY_OF_CLASS.replace("name):", "name='soft'):", 1),
        by="Registry.register",
    ),
    "from a registry, by any name": kept("import os\nimport registry", "registry.REGISTRY.get(os.environ['ACT'])(x)"),
    "from a table that is filled": kept(
        "import registry", "registry.get('soft')(x)", registry=REGISTRY.format(""), by="register"
    ),
    "through a file between": {
        "between.py": "from helpers import soft\n\ndef shares(x):\n    return soft(2 * x)\n",
        **logs("from between import shares", "shares(x)"),
    },
    "from any entry of a table": logs(
        "import os\nfrom helpers import ACTIVATIONS", "ACTIVATIONS[os.environ['ACT']](x)", SOFT + ACTIVATIONS
    ),
    "from what is looked up": logs("from helpers import activation", "activation('softmax')(x)", SOFT + ACTIVATIONS),
    "from a class of a table": logs("from helpers import NETS", "NETS['net']()(x)", NET + "\nNETS = {'net': Net}\n"),
    "from a model on a device": logs("from helpers import build\n\nnet = build('cpu')", "net(x)", NET + BUILD),
    "from a sequence": logs("from helpers import mlp\n\nnet = mlp([4, 8, 3])", "net(x)", SEQUENCE),
    "from a property": logs("from helpers import Categorical", "Categorical(x).shares", CATEGORICAL),
    "from a closure": logs("from helpers import softer\n\nsoft = softer(2.0)", "soft(x)", CLOSURE),
    "in a tuple": logs("from helpers import both", "both(x)[1]", f"def both(x):\n    return x, {SHARES}\n"),
    "from layers of a list": project(NET, ENSEMBLE),
    "from super": project(NET, LOG_NET),
    "from a generator": project(
        BATCHES,
        "from helpers import batches\n\ndef means(rows):\n"
        "    return [x.sum() / n for x, n in batches(rows, 8)]  # error: [NL301]\n",
    ),
    "from a parameter": logs("from helpers import Net", "net(x)", NET, "net: Net, x"),
    "from a parameter or None": logs("from helpers import Net", "net(x)", NET, "net: Net | None, x"),
    "from a parameter of a quoted type": logs(TYPE_CHECKING, "net(x)", NET, "net: 'Net', x"),
    "from a method of a parameter": logs("from helpers import Net", "net.shares(x)", NET, "net: Net, x"),
    "from a property of a parameter": logs(
        "from helpers import Categorical", "x.shares", CATEGORICAL, "x: Categorical"
    ),
    "from a parameter that is held": project(NET, HELD),
}

# ── the main file fails on what is configured ───────────────────────────────────────────────────────────────────────

DATACLASS = """\
from dataclasses import dataclass

@dataclass
class Config:
    lr: float = 1e-3
    eps: float = «0.0|1e-6»
"""
FROZEN = """\
from dataclasses import dataclass, field

@dataclass(frozen=True)
class Config:
    eps: float = field(default=«0.0|1e-6», metadata={"help": "of a norm"})

cfg = Config()
"""
NAMED_TUPLE = """\
from typing import NamedTuple

class Config(NamedTuple):
    lr: float = 1e-3
    eps: float = «0.0|1e-6»
"""
COMMAND_LINE = """\
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--floor", type=float, default=1e-6)
FLOOR = «0.0|parser.parse_args().floor»
"""
ARGUMENTS = """\
import argparse

def get_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=1e-3)
    norms = parser.add_argument_group("norms")
    norms.add_argument("-e", "--norm-eps", type=float, default=«0.0|1e-6»)
    parser.add_argument("--seed", type=int, default=0, choices=range(100), help="where random numbers start")
    parser.add_argument("--name", type=str, default="run", metavar="NAME", help="what the run is called")
"""
ARGUMENTS = "".join((ARGUMENTS, *ARGUMENTS.splitlines(keepends=True)[-1:] * 20, "    return parser.parse_args()\n"))
PARSER = """\
import argparse

def add_arguments(parser):
    parser.add_argument("--eps", type=float)
    parser.set_defaults(eps=«0.0|1e-6»)

parser = argparse.ArgumentParser()
add_arguments(parser)
"""
CLICK = """\
import click
from helpers import unit

@click.command()
@click.option("--eps", "-e", type=float, default=«0.0|1e-6»)
@click.option("--lr", default=1e-3)
def main(lr, eps):
    print(unit(torch.load("x.pt"), eps))

if __name__ == "__main__":
    main()
"""
ENVIRONMENT = "import os\n\nFLOOR = «0.0|float(os.environ['FLOOR'])»\n"
NAMESPACE = "from types import SimpleNamespace\n\ncfg = SimpleNamespace(floor=1e-6)\nFLOOR = «0.0|cfg.floor»\n"
UNIT_OF_CONFIG = """\
from helpers import Config

class Unit(torch.nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg

    def forward(self, x):
        return x / (x.norm(dim=-1, keepdim=True) + self.cfg.eps)  # error: [NL303]
"""
#: a parameter need not be what it is by default: that is shown only where it is asked for
POSSIBLE = {"pyproject.toml": "[tool.nanlint]\nconfidence = 'possible'\n"}


def divides(config: str, top: str, eps: str = "cfg.eps", given: str = "x") -> Files:
    """A function divides by a norm and an epsilon."""
    return project(
        config,
        f"{top}\n\ndef unit({given}):\n    return x / (x.norm(dim=-1, keepdim=True) + {eps})  # error: [NL303]\n",
    )


def tiny(files: Mapping[str, str]) -> Files:
    """The same of an epsilon that is 0 in single precision only."""
    return {name: text.replace("«0.0", "«1e-50").replace("NL303", "NL501") for name, text in files.items()}


def floored(config: str) -> Files:
    """A function takes the logarithm of a softmax above a floor: of one that is not known, nothing is said."""
    loss = "def loss(x):\n    return -torch.log(torch.softmax(x, -1).clamp(min=FLOOR)).mean()  # error: [NL208]\n"
    return project(config, f"from helpers import FLOOR\n\n{loss}")


CONFIGURED = {
    "by an item": divides("CFG = {'loss': {'eps': «0.0|1e-6»}}\n", "from helpers import CFG", "CFG['loss']['eps']"),
    "by a class": divides("class Config:\n    eps = «0.0|1e-6»\n", "from helpers import Config", "Config.eps"),
    "by an object": divides(DATACLASS, "from helpers import Config\n\ncfg = Config()"),
    "by an object of the function": divides(DATACLASS, "from helpers import Config", "Config(lr=1e-2).eps"),
    "by an object of the helper": divides(FROZEN, "from helpers import cfg"),
    "by a named tuple": divides(NAMED_TUPLE, "from helpers import Config\n\ncfg = Config(lr=1e-2)"),
    "by a parameter": POSSIBLE | divides(DATACLASS, "from helpers import Config", given="x, cfg: Config"),
    "by a parameter that is held": POSSIBLE | project(DATACLASS, UNIT_OF_CONFIG),
    "by a parameter, not quite 0": tiny(divides(DATACLASS, "from helpers import Config", given="x, cfg: Config")),
    "by a parameter that is held, not quite 0": tiny(project(DATACLASS, UNIT_OF_CONFIG)),
    "by the command line, by default": POSSIBLE
    | divides(ARGUMENTS, "from helpers import get_args\n\nargs = get_args()", "args.norm_eps"),
    "by the command line, by default, not quite 0": tiny(
        divides(ARGUMENTS, "from helpers import get_args\n\nargs = get_args()", "args.norm_eps")
    ),
    "by a parser that is handed over": POSSIBLE
    | divides(PARSER, "from helpers import parser\n\nargs, _ = parser.parse_known_args()", "args.eps"),
    "by a dictionary of arguments": POSSIBLE
    | divides(PARSER, "from helpers import parser\n\nargs = vars(parser.parse_args())", "args['eps']"),
    "by who reads the command line": POSSIBLE
    | project(
        UNIT,
        f"from helpers import unit\n{PARSER}\nargs = parser.parse_args()\nprint(unit(torch.load('x.pt'), args.eps))\n",
    ),
    "by an option of a command": POSSIBLE | project(UNIT, CLICK),
    "by what a namespace has": divides(
        "from types import SimpleNamespace\n\ncfg = SimpleNamespace(eps=«0.0|1e-6»)\n", "from helpers import cfg"
    ),
    "by the environment": floored(ENVIRONMENT),
    "by the command line": floored(COMMAND_LINE),
    "by a namespace": floored(NAMESPACE),
}

# ── the helper decorates, or changes in place, what the main file fails on ──────────────────────────────────────────

OF_A_SOFTMAX = """\
@decorated
def soft(x):
    return {}

def loss(x):
    return -torch.log(soft(x)).mean()  # error: [NL101]
"""
OF_AN_ARGUMENT = """\
@decorated
def mean_log(p):
    return torch.log(p).mean()  # error: [{}]

def loss(x):
    return mean_log({})
"""
RAISE = "if «x.isnan()|(x <= 0)».any():\n    raise ValueError(x)\nreturn function(x)\n"
NO_GRAD = "with torch.«autocast('cpu')|no_grad()»:\n    return function(x)\n"
FLOORED = """\
def floored(least):
    def decorate(function):
        def bounded(x):
            return function(x).clamp(min=least)

        return bounded

    return decorate
"""
REGISTER = """\
REGISTRY = {}

def register(name):
    def add(function):
        REGISTRY[name] = function
        return function

    return add
"""
COMPILED = """\
DEBUG = False

def compiled(function, **options):
    return function if DEBUG else torch.compile(function, **options)
"""
STATE = """\
class State:
    def __init__(self, x):
        self.p = torch.softmax(x, -1)

    def floor_(self):
        self.p = self.p.clamp(min=«0.0|1e-6»)
"""


def decorated(wrapper: str, main: str) -> Files:
    """A function is decorated by one that does so, through a wrapper."""
    body = f"@functools.wraps(function)\ndef wrapper(x):\n{indent(wrapper, '    ')}\nreturn wrapper\n"
    helpers = f"import functools\n\ndef decorated(function):\n{indent(body, '    ')}"
    return project(helpers, f"from helpers import decorated\n\n{main}")


def decorated_with(decorator: str, helpers: str, main: str) -> Files:
    """A function is decorated by one that does so in another way."""
    main = main.replace("decorated", decorator)
    return project(helpers, f"from helpers import {decorator.partition('(')[0]}\n\n{main}")


def changed(helpers: str, name: str, values: str, code: str) -> Files:
    """A logarithm is taken of what was handed over before."""
    loss = f"    p = {values}\n    {name}(p)\n    return -torch.log(p).mean()  # error: [{code}]\n"
    return project(helpers, f"from helpers import {name}\n\ndef loss(x):\n{loss}")


DECORATED = {
    "and handed on": decorated("print(x.shape)\nreturn function(x)\n", OF_A_SOFTMAX.format(SHARES)),
    "and clamped": decorated("return function(x)«|.clamp(min=1e-6)»\n", OF_A_SOFTMAX.format("torch.softmax(x, -1)")),
    "and normalized": decorated(f"x = function(x)\nreturn {SHARES}\n", OF_A_SOFTMAX.format("2 * x")),
    "and given clamped": decorated(
        "return function(x«|.clamp(min=1e-6)»)\n", OF_AN_ARGUMENT.format("NL101", "torch.softmax(x, -1)")
    ),
    "and checked": decorated(RAISE, OF_AN_ARGUMENT.format("NL103", "torch.relu(x)")),
    "and called without gradients": decorated(
        NO_GRAD, "@decorated\ndef length(x):\n    return torch.sqrt((x**2).sum(-1))  # error: [NL201]\n"
    ),
    "with a number": decorated_with(
        "floored(«0.0|1e-6»)", FLOORED, OF_A_SOFTMAX.format("torch.softmax(x, -1)").replace("NL101", "NL208")
    ),
    "and registered": decorated_with("register('softmax')", REGISTER, OF_A_SOFTMAX.format(SHARES)),
    "and compiled": decorated_with("compiled", COMPILED, OF_A_SOFTMAX.format(SHARES)),
}
CHANGED = {
    "by a method": changed("def floor_(p):\n    p.clamp_(min=«0.0|1e-6»)\n", "floor_", "torch.softmax(x, -1)", "NL208"),
    "by an item": changed("def no_zeros(p):\n    p[p «<|<=» 0] = 1.0\n", "no_zeros", "torch.relu(x)", "NL103"),
    "by an attribute": POSSIBLE
    | project(
        STATE,
        "from helpers import State\n\ndef loss(x):\n    state = State(x)\n    state.floor_()\n"
        "    return -torch.log(state.p).mean()  # error: [NL208]\n",
    ),
}

# ── the helper trains what the main file gives it ───────────────────────────────────────────────────────────────────

MODEL = NET.replace("self.shares(self.fc(x))", "«self.shares(self.fc(x))|self.fc(x)»")
FUNCTIONAL = """\
import torch.nn.functional as F

def train_epoch(model, loader):
    for x, y in loader:
        F.cross_entropy(model(x), y).backward()  # error: [NL701]
"""
ENGINE = """\
def train_epoch(model, criterion, loader):
    for x, y in loader:
        criterion(model(x), y).backward()  # error: [NL701]
"""
OWN_MODEL = """\
from model import Net

def train_epoch(criterion, loader):
    model = Net()
    for x, y in loader:
        criterion(model(x), y).backward()  # error: [NL701]
"""
TRAINER = """\
class Trainer:
    def __init__(self, model, criterion):
        self.model = model
        self.criterion = criterion

    def fit(self, loader):
        for x, y in loader:
            self.criterion(self.model(x), y).backward()  # error: [NL701]
"""
LIGHTNING = f"""\
import lightning
from helpers import nll

class Module(lightning.LightningModule):
    def forward(self, x):
        return {SHARES}

    def training_step(self, batch, batch_idx):
        return nll(self(batch))
"""


def trained(helpers: str, name: str, main: str) -> Files:
    """A model is trained so."""
    return project(helpers, f"from helpers import {name}\n\n{MODEL}\ndef main(loader):\n    {main}\n")


TRAINED = {
    "with its model": trained(FUNCTIONAL, "train_epoch", "model = Net().to('cpu')\n    train_epoch(model, loader)"),
    "as the file runs": project(
        FUNCTIONAL,
        f"from helpers import train_epoch\n\n{MODEL}\nif __name__ == '__main__':\n    train_epoch(Net(), [])\n",
    ),
    "with its model and its loss": trained(
        ENGINE, "train_epoch", "train_epoch(Net(), torch.nn.CrossEntropyLoss(), loader)"
    ),
    "with both, by a file without a framework": {
        **trained(ENGINE, "train_epoch", "train_epoch(Net(), torch.nn.CrossEntropyLoss(), loader)"),
        "helpers.py": ENGINE,
    },
    "with its loss": {
        **trained(OWN_MODEL, "train_epoch", "train_epoch(torch.nn.CrossEntropyLoss(), loader)"),
        "model.py": f"import torch\n\n{MODEL}",
    },
    "by an object": trained(TRAINER, "Trainer", "Trainer(Net(), torch.nn.CrossEntropyLoss()).fit(loader)"),
    "by Lightning": project(NLL, LIGHTNING),
}

# ── the same in other frameworks ────────────────────────────────────────────────────────────────────────────────────

JAX = "import jax\nimport jax.numpy as jnp"
JAX_SOFT = "def soft(x):\n    return jax.nn.softmax(x)«| + 1e-6»\n"
JAX_BODY = "def body(state, x):\n    return state, jax.nn.softmax(x)«| + 1e-6»\n"
FLAX = """\
import flax.linen as nn

class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.softmax(nn.Dense(3)(x))«| + 1e-6»
"""
EQUINOX = """\
import equinox as eqx

class Net(eqx.Module):
    fc: eqx.nn.Linear

    def __call__(self, x):
        return jax.nn.softmax(self.fc(x))«| + 1e-6»
"""
SLOPE = """\
from helpers import accuracy

def step(w, x):
    def loss(w):
        return accuracy(x @ w)

    return jax.value_and_grad(loss)(w)
"""
SEQUENTIAL = """\
def build_model():
    model = keras.Sequential([keras.layers.Dense(8, activation="relu")])
    model.add(keras.layers.Dense(3, activation="softmax"))
    model.add(keras.layers.Activation("«linear|sigmoid»"))
    return model
"""
COMPILE = """\
from helpers import nll

inputs = keras.Input((4,))
outputs = keras.layers.Dense(3, activation="softmax")(inputs)«| + 1e-6»
model = keras.Model(inputs, outputs)
model.compile("adam", loss=nll)
"""


def jax_logs(top: str, used: str, helpers: str = JAX_SOFT, given: str = "x") -> Files:
    """As ``logs``, in JAX."""
    return project(
        helpers, f"{top}\n\ndef loss({given}):\n    return -jnp.mean(jnp.log({used}))  # error: [NL101]\n", JAX
    )


FRAMEWORKS = {
    "jax.vmap": jax_logs("from helpers import soft", "jax.vmap(soft)(x)"),
    "jax.jit": jax_logs("from helpers import soft\n\nfast = jax.jit(soft)", "fast(x)"),
    "jax.lax.scan": jax_logs("from helpers import body", "jax.lax.scan(body, 0.0, x)[1]", JAX_BODY),
    "jax.vmap of the loss": project(
        "def nll(p):\n    return -jnp.mean(jnp.log(p))  # error: [NL101]\n",
        "from helpers import nll\n\ndef loss(x):\n    return jax.vmap(nll)(jax.nn.softmax(x)«| + 1e-6»).mean()\n",
        JAX,
    ),
    "jax.value_and_grad of a caller": project(
        "def accuracy(x):\n    return jnp.sqrt(jnp.sum(x**2)«| + 1e-6»)  # error: [NL201]\n", SLOPE, JAX
    ),
    "flax": jax_logs("from helpers import Net\n\nmodel = Net()", "model.apply(params, x)", FLAX, "params, x"),
    "equinox": jax_logs("from helpers import Net", "jax.vmap(model)(x)", EQUINOX, "model: Net, x"),
    "optax": project(
        "def predict(w, x):\n    return jax.nn.«softmax|tanh»(x @ w)\n",
        "import optax\nfrom helpers import predict\n\ndef loss(w, x, y):\n"
        "    return optax.softmax_cross_entropy(predict(w, x), y).mean()  # error: [NL701]\n",
        JAX,
    ),
    "tf.function": project(
        "@tf.function(jit_compile=True)\ndef soft(x):\n    return tf.nn.softmax(x)«| + 1e-6»\n",
        "from helpers import soft\n\ndef loss(x):\n    return tf.reduce_mean(tf.math.log(soft(x)))  # error: [NL101]\n",
        "import tensorflow as tf",
    ),
    "keras.Sequential": project(
        SEQUENTIAL,
        "from helpers import build_model\n\nmodel = build_model()\n\ndef loss(x):\n"
        "    return -keras.ops.mean(keras.ops.log(model(x)))  # error: [NL101]\n",
        "import keras",
    ),
    "keras.Model.compile": project(
        "def nll(target, output):\n    return keras.ops.mean(target - keras.ops.log(output))  # error: [NL101]\n",
        COMPILE,
        "import keras",
    ),
}

# ── what is found ─────────────────────────────────────────────────────────────────────────────────────────────────────

PROGRAMS = {
    f"{how} {what}": files
    for how, programs in {
        "called": CALLED,
        "registered": REGISTERED,
        "returned": RETURNED,
        "configured": CONFIGURED,
        "decorated": DECORATED,
        "changed": CHANGED,
        "trained": TRAINED,
        "by way of": FRAMEWORKS,
    }.items()
    for what, files in programs.items()
}
#: programs in which what is wrong is not found -> why
UNSEEN = {
    "trained with its loss": "callers are not asked for it where the model is of a third file",
}


def version(side: int, name: str) -> Files:
    """The wrong (1) or the right (2) one of the two programs that are written as one."""
    return {path: EITHER.sub(rf"\{side}", text) for path, text in PROGRAMS[name].items()}


def finding(name: str) -> Finding:
    """What is to be found in a program: the file, the row and the code."""
    (only,) = [(path, row, code) for path, text in PROGRAMS[name].items() for row, code in marked(text)]
    return only


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.xfail(reason=UNSEEN[name])] if name in UNSEEN else []) for name in PROGRAMS],
)
def test_what_is_wrong_is_found_in_its_file_and_in_the_project(tmp_path: Path, name: str) -> None:
    written(tmp_path, version(1, name))
    expected = finding(name)
    assert found(tmp_path, expected[0]) == [expected]
    assert found(tmp_path, ".") == [expected]


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_found_where_nothing_is_wrong(tmp_path: Path, name: str) -> None:
    written(tmp_path, version(2, name))
    assert found(tmp_path, finding(name)[0]) == found(tmp_path, ".") == []


@pytest.mark.timeout(60)  # a frame that is its own caller has no end
@pytest.mark.parametrize("name", ["called by who calls its caller's method", "called by a caller's caller"])
def test_a_frame_is_not_taken_for_one_that_was_at_its_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """An address is free again as soon as a frame is: where frames were known by it, callers of some had others'."""
    address = id
    for module in [module for name, module in sys.modules.items() if name.startswith("nanlint.frontend.")]:
        monkeypatch.setattr(module, "id", lambda it: 0 if isinstance(it, Frame) else address(it), raising=False)
    written(tmp_path, version(1, name))
    assert found(tmp_path, ".") == [finding(name)]
