"""``nanlint config``: which keys a configuration has, and what holds for a file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from nanlint.commands.base import (
    Unusable,
    config_for,
    config_options,
    deliver,
    format_option,
    output_option,
    trust_option,
)
from nanlint.commands.manual import Command

if TYPE_CHECKING:
    from nanlint.config import Config, Options
    from nanlint.keys import Key


def _complete_keys(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from nanlint.keys import KEYS

    return [name for name in KEYS if name.startswith(incomplete)]


@click.command(
    cls=Command,
    short_help="List the keys of the configuration, or show the settings of a file.",
    examples=(
        ("nanlint config", "List the keys, with their defaults."),
        ("nanlint config per-file-ignores", "Explain one key, with an example."),
        ("nanlint config --show src/loss.py", "Show the settings of a file, and where each comes from."),
        ("nanlint config --schema > nanlint.schema.json", "Write the schema for editors that check TOML."),
    ),
    exit_codes=(("0", "Done."), ("2", "There is no such key, or the configuration cannot be used.")),
)
@click.argument("key", metavar="[KEY|PATH]", required=False, shell_complete=_complete_keys)
@click.option(
    "--show", is_flag=True, help="Show the settings of PATH, a file or directory.  [default: the working directory]"
)
@click.option("--schema", is_flag=True, help="Print the JSON Schema of nanlint.toml and of [tool.nanlint].")
@format_option
@config_options
@output_option
@trust_option
def config(
    key: str | None,
    *,
    show: bool,
    schema: bool,
    output_format: str,
    config: tuple[str, ...],
    isolated: bool,
    output_file: str | None,
) -> None:
    """List the keys that a configuration may have, explain one KEY, or show the settings of a PATH.

    The keys are in [tool.nanlint] of pyproject.toml, or at the top level of nanlint.toml.
    """
    from nanlint import keys
    from nanlint.config import Options

    as_json = output_format == "json"
    if show and schema:
        raise click.UsageError("--show and --schema cannot be combined")
    if (config or isolated) and not show:
        raise click.UsageError("--config and --isolated need --show")
    if schema:
        from nanlint.lint.known_rules import all_rules

        text = json.dumps(
            keys.schema({code: one.name for code, one in all_rules().items() if not one.origin}), indent=2
        )
    elif show:
        text = _shown(key or ".", Options(config=config, isolated=isolated), as_json)
    elif key is not None:
        text = _one(_known(key), as_json)
    elif as_json:
        text = json.dumps([_as_object(one) for one in keys.KEYS.values()], indent=2, ensure_ascii=False)
    else:
        text = "\n".join(_listed(keys.KEYS.values()))
    deliver(text.removesuffix("\n") + "\n", output_file)


# Keys


def _known(name: str) -> Key:
    from nanlint.keys import KEYS
    from nanlint.selection import did_you_mean

    if name not in KEYS:
        hint = did_you_mean(name, KEYS) or "; to see the settings of a path: nanlint config --show PATH"
        raise Unusable(f'unknown key "{name}"{hint}')
    return KEYS[name]


def _listed(keys: Iterable[Key]) -> Iterator[str]:
    keys = tuple(keys)
    width = max(len(key.name) for key in keys)
    for key in keys:
        yield f"{key.name:<{width}}  {key.summary}"
        yield f"{'':<{width}}  {key.kind}; default: {key.default_shown}"


def _one(key: Key, as_json: bool) -> str:
    if as_json:
        return json.dumps(_as_object(key), indent=2, ensure_ascii=False)
    below = f"[tool.nanlint.{key.name}]" if key.kind.startswith("table") else "[tool.nanlint]"
    return f"{key.name}\n\n{key.about}\n\nType:     {key.kind}\nDefault:  {key.default_shown}\n\n{below}\n{key.example}"


def _as_object(key: Key) -> dict[str, object]:
    return {
        "name": key.name,
        "kind": key.kind,
        "default": key.default,
        "about": key.about,
        "example": key.example,
        "schema": dict(key.schema),
    }


# What holds


def _shown(path: str, options: Options, as_json: bool) -> str:
    from nanlint.keys import KEYS
    from nanlint.lint.known_rules import rule_names

    if not os.path.exists(path):
        raise Unusable(f"{path}: no such file or directory")
    absolute = os.path.abspath(path)
    directory = absolute if os.path.isdir(path) else os.path.dirname(absolute)
    found = config_for(directory, options)
    held = found if os.path.isdir(path) else found.for_file(absolute)
    if as_json:
        said = {name: layer for layer in found.layers for name in layer.values}
        settings = {
            name: {"value": said[name].values[name], "origin": "file" if said[name].file else "option"}
            if name in said
            else {"value": key.default, "origin": "default"}
            for name, key in KEYS.items()
        }
        selected = sorted(held.among(rule_names(held.rule_files)))
        shown = {"path": absolute, "file": found.file, "settings": settings, "rules": selected}
        return json.dumps(shown, indent=2) + "\n"
    return "\n".join(_listed_for(path, found, held)) + "\n"


def _listed_for(path: str, found: Config, held: Config) -> Iterator[str]:
    from nanlint.keys import KEYS, as_toml
    from nanlint.lint.known_rules import rule_names

    yield f"# {path}: " + ("no configuration file" if found.file is None else f"configured by {found.file}")
    said = {name: layer for layer in found.layers for name in layer.values}
    width = max(map(len, KEYS))
    for name, key in KEYS.items():
        layer = said.get(name)
        if layer is None:
            yield f"{name:<{width}} = {key.default_shown}  # default"
        else:
            other = "" if layer.file == found.file else f"  # {layer.where}"
            yield f"{name:<{width}} = {as_toml(layer.values[name])}{other}"
    names = rule_names(found.rule_files).keys()
    running = held.among(names)
    for name in KEYS:
        variable = f"NANLINT_{name.replace('-', '_').upper()}"
        if os.environ.get(variable):
            yield f"# {variable} is set and overrides it in nanlint check"
    yield f"# {len(running)} of {len(names)} rules run here"
    off = sorted(names - running)
    if off:
        yield f"# off: {', '.join(off)}"
    ignored = sorted(found.among(names) - running)
    if ignored:
        yield f"# of these, ignored by per-file-ignores: {', '.join(ignored)}"
