"""Seeds generators of random numbers, so that what is drawn is the same in every run."""

from __future__ import annotations

import operator
import random
from collections.abc import Mapping
from typing import Any

#: what seeds the generator that a module has for the whole process; Keras draws from Python's
SETTERS = {"numpy.random": "seed", "torch": "default_generator.manual_seed"}


def seed(modules: Mapping[str, Any]) -> None:
    """Seed Python's generator, and those of the modules that are among these by name."""
    random.seed(0)
    for name in SETTERS.keys() & modules.keys():
        operator.attrgetter(SETTERS[name])(modules[name])(0)
