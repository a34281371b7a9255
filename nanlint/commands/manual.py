"""How a command documents itself: ``--help`` as a manual page, and the variables that set its options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click
from click.core import ParameterSource

_PREFIX = "NANLINT"
_WIDTH = 100  # columns of a wide terminal that help takes

#: options that mean the same wherever they are
_COMMON = frozenset({"--color", "--config", "--isolated", "--trust"})

#: the command whose options are set by their own names
_FIRST = "check"

Rows = Sequence[tuple[str, str]]

EXIT_CODES: Rows = (
    ("0", "There are no findings, or --exit-zero was given."),
    ("1", "There are findings, or some of the files could not be read."),
    ("2", "Nothing could be checked: a path does not exist, or an option or the configuration is wrong."),
)


class Command(click.Command):
    """A command whose options stand in sections, with examples and exit codes below them.

    ``sections``: heading -> names of options; those in none come last. ``examples``: (command line, what it does).
    ``optional_values``: options whose value may be left out, and is then empty: ``--option`` or ``--option=VALUE``.
    Options of ``check`` are set by ``NANLINT_OPTION``, those of others by ``NANLINT_COMMAND_OPTION``; of an option with
    several names it is the first long one.
    """

    def __init__(
        self,
        *args: Any,
        sections: Mapping[str, Iterable[str]] | None = None,
        examples: Rows = (),
        exit_codes: Rows = EXIT_CODES,
        optional_values: Sequence[str] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.context_settings.setdefault("max_content_width", _WIDTH)
        self.sections = {title: frozenset(names) for title, names in (sections or {}).items()}
        self.examples = examples
        self.exit_codes = exit_codes
        self.optional_values = optional_values
        for option in self.params:
            if isinstance(option, click.Option):
                option.envvar = variable(self.name or "", option)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As always; what follows an optional value is not it, and an error in a variable is told of the variable."""
        end = args.index("--") if "--" in args else len(args)
        given = [f"{arg}=" if arg in self.optional_values else arg for arg in args[:end]]
        try:
            return super().parse_args(ctx, [*given, *args[end:]])
        except click.BadParameter as error:
            if isinstance(error.param, click.Option) and (name := _set_by(ctx, error.param)):
                error.param_hint = f"the variable {name}"
            raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options by section, then examples and exit codes."""
        options = [option for option in self.get_params(ctx) if isinstance(option, click.Option)]
        for title, names in self.sections.items():
            _write(formatter, title, _records(ctx, (option for option in options if names & {*option.opts})))
        listed = frozenset[str]().union(*self.sections.values())
        others = (option for option in options if not listed & {*option.opts})
        _write(formatter, "Other options" if listed else "Options", _records(ctx, others))
        _write(formatter, "Examples", self.examples)
        _write(formatter, "Exit codes", self.exit_codes)
        variables = ", ".join(str(option.envvar) for option in options if option.envvar)
        if variables:
            with formatter.section("Environment"):
                formatter.write_text(f"Environment variables for the options: {variables}.")


def variable(command: str, option: click.Option) -> str:
    """The variable of the environment that sets an option of a command."""
    name = next(name for name in option.opts if name.startswith("--"))
    between = [] if command == _FIRST or name in _COMMON else [command]
    return "_".join((_PREFIX, *between, name.lstrip("-"))).replace("-", "_").upper()


def origin(ctx: click.Context, option: str) -> str:
    """`` (from NANLINT_…)`` if the environment has set an option, by its name on the command line; else nothing."""
    for parameter in ctx.command.params:
        if isinstance(parameter, click.Option) and option in parameter.opts and (name := _set_by(ctx, parameter)):
            return f" (from {name})"
    return ""


def _set_by(ctx: click.Context, option: click.Option) -> str | None:
    source = ctx.get_parameter_source(option.name or "")
    return str(option.envvar) if source is ParameterSource.ENVIRONMENT else None


def _records(ctx: click.Context, options: Iterable[click.Option]) -> Rows:
    return [record for option in options if (record := option.get_help_record(ctx)) is not None]


def _write(formatter: click.HelpFormatter, title: str, rows: Rows) -> None:
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows)
