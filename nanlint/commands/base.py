"""What the commands share: exit codes, the error that ends one, options that several have, paint."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from nanlint.commands.manual import origin

if TYPE_CHECKING:
    from types import ModuleType

    from click.shell_completion import CompletionItem

    from nanlint.config import Config, Configs, Options
    from nanlint.output.paint import Paint

F = TypeVar("F", bound=Callable[..., Any])

CLEAN, FINDINGS, COULD_NOT_RUN = 0, 1, 2
INTERRUPTED = 130


class Unusable(click.ClickException):
    """What was asked for cannot be done: exit code 2."""

    exit_code = COULD_NOT_RUN

    def show(self, file: object = None) -> None:
        """Print the message in Ruff's manner."""
        say(f"error: {self.message}", err=True)


def say(text: str, *, err: bool = False, nl: bool = True, color: bool | None = None) -> None:
    """Print what may hold what others named or wrote, so that no terminal obeys it. ``color``: it is painted."""
    from nanlint.output.paint import shown

    put(shown(text, painted=bool(color)) + "\n" * nl, err=err, color=color)


def put(text: str, *, err: bool = False, color: bool | None = None) -> None:
    """Print a text as it is, but for colours where they are not wanted, and write down that it was printed."""
    stream = sys.stderr if err else sys.stdout
    if not (stream.isatty() if color is None else color):
        text = click.unstyle(text)
    click.echo(text, err=err, nl=False, color=True)
    if (answers := kept_answers()) is not None:
        answers.hear(text, err=err)


def kept_answers() -> ModuleType | None:
    """``nanlint.cache.answers``, if the program began by asking it."""
    return sys.modules.get("nanlint.cache.answers")


def split(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """A repeatable option whose values may hold several, with commas between them."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


def complete_rules(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Codes, groups and names that begin as the last word of a list with commas does, each with its summary."""
    from click.shell_completion import CompletionItem

    from nanlint.lint.known_rules import all_rules

    before, comma, word = incomplete.rpartition(",")
    words = {"ALL": "every rule"}
    for code, rule in sorted(all_rules().items()):
        words |= {code[:3]: f"the rules {code[:3]}xx", code: f"{rule.name}: {rule.summary}", rule.name: rule.summary}
    return [
        CompletionItem(before + comma + known, help=text)
        for known, text in words.items()
        if known.lower().startswith(word.lower())
    ]


def together(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one, in the order of help."""

    def all_of(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return all_of


def rules_option(*names: str, help: str) -> Callable[[F], F]:
    """A repeatable option that takes rules, with commas between them; shells complete them."""
    return click.option(
        *names, multiple=True, callback=split, metavar="RULES", help=help, shell_complete=complete_rules
    )


def _trusting(ctx: click.Context, param: click.Parameter, given: bool) -> None:
    if given:
        from nanlint.trust import trust_everything

        trust_everything()


#: the option by which rule files may run; it counts for the process
trust_option = click.option(
    "--trust",
    is_flag=True,
    expose_value=False,
    callback=_trusting,
    help="Run the rule files (Python code) that configurations name.",
)


def warn_of_untrusted(configs: Configs) -> None:
    """Say which rule files the configurations name that were not loaded."""
    from nanlint.lint.known_rules import without_rules

    for config in configs.untrusted:
        say(f"warning: {without_rules(config)}", err=True)


_CONFIG = click.option(
    "--config",
    multiple=True,
    type=click.Path(),
    metavar="FILE|KEY=VALUE",
    help="A configuration file for all files, or one key in TOML (confidence='possible'), which overrides all "
    "files. Repeatable.",
)
_ISOLATED = click.option("--isolated", is_flag=True, help="Ignore all configuration files.")


#: for ``configs_for``
config_options = together(_CONFIG, _ISOLATED)

_NO_CACHE = click.option("--no-cache", is_flag=True, help="Neither use nor write the cache.")
_CACHE_DIR = click.option(
    "--cache-dir",
    type=click.Path(),
    metavar="DIR",
    help="Directory of the cache.  [default: .nanlint_cache in the project]",
)


#: for ``cache_directory``
cache_options = together(_NO_CACHE, _CACHE_DIR)


def cache_directory(cache_dir: str | None, no_cache: bool) -> str | None:
    """Where the cache is; None if there is to be none, or can be none."""
    try:
        from nanlint.cache import store
    except ImportError:  # this Python has no sqlite3
        return None
    return store.directory_for(("--no-cache",) if no_cache else ("--cache-dir", cache_dir) if cache_dir else ())


#: the option that sends what a command prints into a file, for ``deliver``
output_option = click.option(
    "-o", "--output-file", type=click.Path(), metavar="FILE", help="Write to this file instead of standard output."
)

#: what is printed as text or as JSON
format_option = click.option(
    "--output-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Output format.",
)
#: for ``paint_for``
color_option = click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True, help="Use color."
)
#: for ``--confidence``
LEVELS = click.Choice(["possible", "likely", "certain"])


def deliver(text: str, output_file: str | None, *, color: bool = False) -> None:
    """Print a text that ends with a newline, or write it into a file; raises Unusable."""
    if output_file is None:
        say(text, nl=False, color=color)
    else:
        write_report(writable(output_file), text)


def configs_for(options: Options | None = None) -> Configs:
    """The configurations that hold for what is to be read; raises Unusable."""
    from nanlint.config import ConfigError, Configs, Options, inline
    from nanlint.entry_points import installed
    from nanlint.lint.known_rules import ops_problem, rule_names, rules_in
    from nanlint.selection import LoadedWhenUsed

    options = options or Options()
    tables = [text for text in options.config if "=" in text and not os.path.exists(text)]
    files = [path for path in options.config if path not in tables]
    if files and options.isolated:
        raise click.UsageError("--config FILE and --isolated cannot be combined")
    if len(files) > 1:
        raise click.UsageError(f"--config accepts only one file, got {files[0]} and {files[1]}")
    try:
        configs = Configs(
            # a plugin that cannot be used is an error even if none of the files needs a rule
            rule_names() if installed() else LoadedWhenUsed(rule_names),
            *map(inline, tables),
            options.over,
            file=files[0] if files else None,
            isolated=options.isolated,
            ops_problem=ops_problem,
            rules_in=rules_in,
        )
        try:
            configs.default()  # says what is wrong with the options before any file does
        except ConfigError:
            # a rule that only the configuration at hand knows
            here = configs.for_directory(os.getcwd()) if options.keys or tables else None
            if here is None or not (here.rule_files or here.untrusted):
                raise
        return configs
    except ConfigError as error:
        context = click.get_current_context()
        option = str(error).partition(":")[0]
        raise Unusable(f"{error}{origin(context, option)}") from None


def config_for(directory: str, options: Options | None = None) -> Config:
    """The configuration that holds in a directory; says which rule files it names that were not loaded."""
    configs = configs_for(options)
    config = configs.for_directory(os.path.abspath(directory))
    warn_of_untrusted(configs)
    return config


def is_painted(paint: Paint) -> bool:
    """Whether a paint leaves its colours or links in a text."""
    from nanlint.output.paint import plain

    return paint is not plain


def paint_for(color: str) -> Paint:
    """How to paint what goes to standard output, in colour ``auto``, ``always`` or ``never``."""
    from nanlint.output.paint import coloured, linking, plain, shows_links

    wanted = color == "always" or (color == "auto" and _wants_colour(os.environ, sys.stdout.isatty()))
    paint = coloured if wanted else plain
    return linking(paint) if shows_links(os.environ, terminal=color != "never" and sys.stdout.isatty()) else paint


def _wants_colour(environment: Mapping[str, str], terminal: bool) -> bool:
    if environment.get("NO_COLOR"):
        return False
    return bool(environment.get("FORCE_COLOR")) or (terminal and environment.get("TERM") != "dumb")


def writable(path: str) -> str:
    """``path``, if a file can be written there: what is known to fail should not do so after all the work.

    Raises Unusable.
    """
    directory = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise Unusable(f"{path}: is a directory; name a file in it")
    if not os.path.isdir(directory):
        raise Unusable(f"{path}: could not be written: there is no directory {directory}")
    needed = [path] if os.path.exists(path) else []
    if not needed or os.path.isfile(path):  # the new content is written beside the old one
        needed.append(os.path.dirname(os.path.realpath(path)))
    if not all(os.access(one, os.W_OK) for one in needed):
        raise Unusable(f"{path}: could not be written: permission denied")
    return path


def write_report(path: str, content: str | bytes) -> None:
    """Write what was asked for into a file, all of it or nothing; raises Unusable."""
    from nanlint.disk import reason
    from nanlint.source.writing import write_whole

    try:
        write_whole(path, content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise Unusable(f"{path}: could not be written: {reason(error)}") from None
