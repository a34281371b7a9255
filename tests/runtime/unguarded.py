"""``python unguarded.py DIRECTORY FRAMEWORK…``: prints what adapters put into their frameworks that does not yield.

Everything that a framework's modules and classes hold is compared before and after the adapters start.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from typing import Any

from nanlint.runtime.importing import Hook
from nanlint.runtime.options import Options
from nanlint.runtime.recorder import Recorder

#: settings that are no code
SETTINGS = {"torch._functorch.config"}


def held(roots: tuple[str, ...]) -> Iterator[tuple[tuple[int, str], tuple[str, Any]]]:
    """What the modules hold that are loaded, and the classes in them, by holder and name."""
    seen: set[int] = set()
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] not in roots or name in SETTINGS:
            continue
        holders: list[tuple[str, Any]] = [(name, module)]
        holders += [(f"{name}.{key}", value) for key, value in list(vars(module).items()) if isinstance(value, type)]
        for path, holder in holders:
            if id(holder) not in seen and getattr(holder, "__module__", name).partition(".")[0] in roots:
                seen.add(id(holder))
                yield from (((id(holder), key), (f"{path}.{key}", value)) for key, value in list(vars(holder).items()))


def main() -> None:
    """Compare."""
    directory, *frameworks = sys.argv[1:]
    roots = tuple(frameworks)
    for framework in frameworks:
        importlib.import_module(framework)
    import torch._dynamo  # noqa: F401

    unguarded = []
    for mode in ("all", "sentinel"):
        before = dict(held(roots))
        recorder = Recorder(Options(directory=directory, watch=mode))
        hook = Hook(recorder)
        hook.install()
        assert {adapter.name for adapter in recorder.adapters} == set(frameworks)
        changed = 0
        for key, (path, value) in held(roots):
            if key in before and before[key][1] is not value and callable(getattr(value, "__func__", value)):
                function = getattr(value, "__func__", value)
                code = getattr(function, "__code__", None)
                ours = code is None or f"{os.sep}nanlint{os.sep}" in code.co_filename
                changed += ours
                if ours and not hasattr(function, "nanlint"):
                    unguarded.append(path)
        assert changed > 10, changed
        hook.remove()
    for path in unguarded:
        print(path)
    print(f"unguarded: {len(unguarded)}")


if __name__ == "__main__":
    main()
