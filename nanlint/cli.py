"""The command line: parse arguments, call, print, exit code. Nothing else.

The program is imported inside the commands, so that ``nanlint --version`` and ``--help`` cost next to nothing.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

import click

from nanlint import __version__

if TYPE_CHECKING:
    from nanlint.config import Configs, Overrides
    from nanlint.linter import Action, FileReport, Judge, Report
    from nanlint.output.paint import Paint
    from nanlint.runtime.inspecting.model import Run
    from nanlint.runtime.with_run import ObservedRun

CLEAN, FINDINGS, COULD_NOT_RUN = 0, 1, 2
INTERRUPTED = 130


class Unusable(click.ClickException):
    """What was asked for cannot be done: exit code 2."""

    exit_code = COULD_NOT_RUN

    def show(self, file: object = None) -> None:
        """Print the message in Ruff's manner."""
        click.echo(f"error: {self.message}", err=True)


class CheckByDefault(click.Group):
    """``nanlint PATHS`` and ``nanlint --fix`` are short for ``nanlint check …``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put ``check`` before whatever is no subcommand and no option of the group."""
        own = {*self.commands, "--help", "-h", "--version", "-V"}
        if args and args[0] not in own:
            args = ["check", *args]
        return super().parse_args(ctx, args)


def _split(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """A repeatable option whose values may hold several, with commas between them."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


@click.group(cls=CheckByDefault, no_args_is_help=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="nanlint", message="%(prog)s %(version)s")
def cli() -> None:
    """Find the code that will produce NaN or Inf, in the value or in the gradient, and mend it.

    `nanlint PATHS` is short for `nanlint check PATHS`.
    """


@cli.command()
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--fix", is_flag=True, help="Apply safe fixes.")
@click.option("--unsafe-fixes", is_flag=True, help="Count fixes that change values as applicable, too.")
@click.option("--prove", is_flag=True, help="Execute what is found, and fixes before they are written (see the guide).")
@click.option(
    "--prove-timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="For one finding.  [default: 5]",
)
@click.option(
    "--with-run", type=click.Path(), metavar="RUN", help="Judge findings by a run that `nanlint verify` kept."
)
@click.option("--diff", is_flag=True, help="Show what --fix would change, and write nothing.")
@click.option("--select", multiple=True, callback=_split, help="Rules to enable: codes, prefixes, names or ALL.")
@click.option("--ignore", multiple=True, callback=_split, help="Rules to disable.")
@click.option("--extend-select", multiple=True, callback=_split, help="Rules to enable beside those selected.")
@click.option("--confidence", type=click.Choice(["possible", "likely", "certain"]), help="The least to be shown.")
@click.option(
    "--output-format",
    type=click.Choice(["full", "concise", "json"]),
    default="full",
    show_default=True,
    help="How findings are printed.",
)
@click.option("--statistics", is_flag=True, help="Show counts by rule instead of the findings.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
@click.option(
    "--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 if anything was fixed, even if nothing is left."
)
@click.option("--show-files", is_flag=True, help="List the files that would be checked.")
@click.option("--config", "config_file", type=click.Path(), help="Use this configuration file for all files.")
@click.option("--isolated", is_flag=True, help="Ignore all configuration files.")
@click.option("--exclude", multiple=True, callback=_split, metavar="PATTERNS", help="Paths to leave out.")
@click.option("--respect-gitignore/--no-respect-gitignore", default=None, help="Leave out what git ignores.")
@click.option("--stdin-filename", type=click.Path(), help="The name of what comes on standard input (path -).")
@click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True, help="Use colour."
)
@click.option("-j", "--jobs", type=click.IntRange(min=1), help="Worker processes.  [default: the number of cores]")
@click.option("-q", "--quiet", is_flag=True, help="Print findings and nothing else.")
@click.pass_context
def check(
    ctx: click.Context,
    paths: tuple[str, ...],
    *,
    fix: bool,
    unsafe_fixes: bool,
    prove: bool,
    prove_timeout: float | None,
    with_run: str | None,
    diff: bool,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    extend_select: tuple[str, ...],
    confidence: str | None,
    output_format: str,
    statistics: bool,
    exit_zero: bool,
    exit_non_zero_on_fix: bool,
    show_files: bool,
    config_file: str | None,
    isolated: bool,
    exclude: tuple[str, ...],
    respect_gitignore: bool | None,
    stdin_filename: str | None,
    color: str,
    jobs: int | None,
    quiet: bool,
) -> None:
    """Check PATHS: files, directories, or - for standard input; the working directory if there are none."""
    from nanlint.config import CONFIDENCES, Overrides
    from nanlint.linter import Action

    overrides = Overrides(
        select=select or None,
        extend_select=extend_select,
        ignore=ignore,
        confidence=CONFIDENCES[confidence] if confidence else None,
        exclude=exclude or None,
        respect_gitignore=respect_gitignore,
        prove_timeout=prove_timeout,
    )
    configs = _configs(config_file, isolated, overrides)
    action = Action.DIFF if diff else Action.FIX if fix else Action.CHECK
    paint = _paint(color)
    if show_files:
        ctx.exit(_show_files(paths or (".",), configs))
    from_stdin = "-" in paths
    judge = _observed(with_run) if with_run is not None else None
    if from_stdin and len(paths) > 1:
        raise click.UsageError("standard input (-) cannot be checked together with other paths")
    if from_stdin:
        content = sys.stdin.buffer.read()
        report = _check_stdin(content, stdin_filename, configs, action, unsafe_fixes, prove, judge)
    else:
        report = _check_paths(paths or (".",), configs, action, unsafe_fixes, prove, judge, jobs, quiet)

    _print_messages(report, quiet)
    if action is Action.DIFF:
        changes = _print_diff(report, paint, quiet)
        ctx.exit(_exit_code(report, findings=changes, exit_zero=exit_zero))
    to_stderr = from_stdin and action is Action.FIX
    if to_stderr:
        _print_mended(report.files[0], content)
    if report.checked or not report.messages:
        text = _render(report, output_format, statistics, unsafe_fixes, action, quiet, paint)
        click.echo(text, nl=False, err=to_stderr, color=True)
    findings = bool(report.diagnostics) or (exit_non_zero_on_fix and bool(report.fixed))
    ctx.exit(_exit_code(report, findings=findings, exit_zero=exit_zero))


@cli.command()
@click.argument("code_or_name", required=False)
@click.option("--all", "every", is_flag=True, help="Explain every rule.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def rule(code_or_name: str | None, every: bool, output_format: str) -> None:
    """Explain the rule with this CODE or NAME, or --all rules."""
    from nanlint.linter import all_rules
    from nanlint.output.rules import render_rule, render_rule_json, render_rules_json
    from nanlint.selection import did_you_mean

    rules = all_rules()
    if every == (code_or_name is not None):
        raise click.UsageError("give the code or the name of one rule, or --all")
    if every:
        in_order = [rules[code] for code in sorted(rules)]
        as_json = output_format == "json"
        _print_page(render_rules_json(in_order) if as_json else "\n".join(map(render_rule, in_order)), not as_json)
        return
    wanted = str(code_or_name)
    for one in rules.values():
        if wanted.upper() == one.code or wanted.lower() == one.name:
            as_json = output_format == "json"
            _print_page(render_rule_json(one) if as_json else render_rule(one), not as_json)
            return
    names = [one.name for one in rules.values()]
    raise Unusable(f'unknown rule "{wanted}"{did_you_mean(wanted, [*rules, *names])}')


@cli.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[--] PROGRAM [ARGS]...")
@click.option(
    "--watch",
    type=click.Choice(["sites", "all", "sentinel"]),
    default="sites",
    show_default=True,
    help="What is watched: flagged expressions; the birth of every nan and inf; the losses and gradient norms.",
)
@click.option(
    "--filter",
    "filters",
    multiple=True,
    metavar="FILTER",
    help="Report tensors for which this holds: has_inf_or_nan, all_zero, saturated, range>NUMBER, FILE.py:FUNCTION.",
)
@click.option(
    "--on-nan",
    type=click.Choice(["continue", "stop", "debug"]),
    default="continue",
    show_default=True,
    help="What to do at a birth; debug: pdb in your frame.",
)
@click.option("--include", multiple=True, callback=_split, help="Packages or paths to watch as if they were yours.")
@click.option("--confidence", type=click.Choice(["possible", "likely", "certain"]), help="The least to be watched.")
@click.option("--run-dir", type=click.Path(), help="Where the run is kept.  [default: a new one in .nanlint/runs]")
@click.option("--replay", "replayed", type=click.Path(), metavar="RUN", help="Repeat the step at which RUN went bad.")
@click.option("--step", "replay_step", type=click.IntRange(min=0), help="The step to repeat with --replay.")
@click.option("--output-format", type=click.Choice(["full", "json"]), default="full", show_default=True)
@click.option("--output-file", type=click.Path(), help="Write the report there.  [default: standard error]")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
@click.pass_context
def verify(
    ctx: click.Context,
    command: tuple[str, ...],
    *,
    watch: str,
    filters: tuple[str, ...],
    on_nan: str,
    include: tuple[str, ...],
    confidence: str | None,
    run_dir: str | None,
    replayed: str | None,
    replay_step: int | None,
    output_format: str,
    output_file: str | None,
    color: str,
) -> None:
    """Run a PROGRAM as Python would, and bring back a verdict for each finding.

    PROGRAM is a script, `-m MODULE` or `-c CODE`, with its arguments. The report goes to standard error. Exit code: 1
    if a finding was confirmed or a nan or inf was born, 2 if the program could not be run, else the program's own.
    """
    from nanlint.config import CONFIDENCES
    from nanlint.runtime.filters import FilterError
    from nanlint.runtime.reporting import render_report, render_report_json
    from nanlint.runtime.runfile import RunError
    from nanlint.runtime.verifying import verify_command

    if not command:
        raise click.UsageError("give the program to run: nanlint verify -- train.py")
    try:
        verified = verify_command(
            command[1:] if command[0] == "--" else command,
            watch=watch,
            filters=filters,
            on_nan=on_nan,
            include=include,
            confidence=CONFIDENCES[confidence or "likely"],
            run_directory=run_dir,
            replayed=replayed or "",
            replay=replay_step,
        )
    except (RunError, FilterError) as error:
        raise Unusable(str(error)) from None
    if output_format == "json":
        text = render_report_json(
            verified.verdicts,
            run=verified.run,
            exit_code=verified.outcome.code,
            failure=verified.failure,
            hindsight=verified.hindsight,
        )
    else:
        paint = _paint(color if output_file is None else "never")
        text = render_report(
            verified.verdicts, run=verified.run, outcome=verified.failure, hindsight=verified.hindsight, paint=paint
        )
    if output_file is None:
        click.echo(text, nl=False, err=True, color=True)
    else:
        _write_report(output_file, text)
    ctx.exit(verified.exit_code)


@cli.command()
@click.argument("run", required=False, type=click.Path())
@click.option("--tfdbg", type=click.Path(), metavar="DIR", help="Read a dump of TensorFlow's Debugger V2 instead.")
@click.option("--output", type=click.Path(), metavar="FILE", help="Where the page is written.  [default: in the run]")
@click.option("--open/--no-open", "browse", default=None, help="Open the page in a browser.  [default: at a terminal]")
@click.option("--terminal", is_flag=True, help="Commands at the terminal instead of a page; so does piped input.")
@click.option("-c", "--command", "commands", multiple=True, metavar="COMMAND", help="Do this, and leave. Repeatable.")
@click.pass_context
def inspect(
    ctx: click.Context,
    run: str | None,
    *,
    tfdbg: str | None,
    output: str | None,
    browse: bool | None,
    terminal: bool,
    commands: tuple[str, ...],
) -> None:
    """Show RUN, a directory that `nanlint verify` left (the last one), as a page for the browser or at the terminal."""
    if run is not None and tfdbg is not None:
        raise click.UsageError("a run and --tfdbg exclude each other")
    shown = _kept_run(run, tfdbg)
    if terminal or commands or not (sys.stdin.isatty() or output or browse is not None):
        ctx.exit(_inspect_at_terminal(shown, commands))
    from nanlint.runtime.inspecting.page import write_page
    from nanlint.runtime.runfile import RunError

    try:
        path = write_page(shown, output)
    except RunError as error:
        raise Unusable(str(error)) from None
    click.echo(path)
    if browse or (browse is None and sys.stdout.isatty()):
        click.launch(path)


def main() -> NoReturn:
    """The console script: like a good filter, quiet when its reader leaves or its user stops it."""
    for stream in (sys.stdout, sys.stderr):
        # File names and source may hold what the terminal's encoding does not.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    # Syntax trees are many objects in no cycles: at the default thresholds the collector takes a fifth of the time.
    gc.set_threshold(100_000, 50, 50)
    try:
        code = cli.main(standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # What is left in the buffer goes nowhere, and the interpreter must not stumble over it on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FINDINGS)
    sys.exit(code or CLEAN)


# Calling


def _configs(config_file: str | None, isolated: bool, overrides: Overrides) -> Configs:
    from nanlint.config import ConfigError, Configs, load
    from nanlint.linter import ops_problem, rule_names

    if config_file is not None and isolated:
        raise click.UsageError("--config and --isolated exclude each other")
    rules = rule_names()
    try:
        if config_file is not None:
            return Configs(rules, overrides, fixed=load(config_file, rules, overrides, ops_problem))
        if isolated:
            return Configs.isolated(rules, overrides)
        configs = Configs(rules, overrides, ops_problem=ops_problem)
        configs.default()  # says what is wrong with the options before any file does
        return configs
    except ConfigError as error:
        raise Unusable(str(error)) from None


def _observed(run: str) -> ObservedRun:
    from nanlint.runtime.runfile import RunError
    from nanlint.runtime.with_run import ObservedRun

    try:
        return ObservedRun(run)
    except RunError as error:
        raise Unusable(str(error)) from None


def _check_paths(
    paths: Sequence[str],
    configs: Configs,
    action: Action,
    unsafe_fixes: bool,
    prove: bool,
    judge: Judge | None,
    jobs: int | None,
    quiet: bool,
) -> Report:
    from nanlint import linter
    from nanlint.output.progress import ProgressBar

    with ProgressBar() as progress:
        heard = progress if sys.stderr.isatty() and not quiet else None
        return linter.check(
            paths,
            configs,
            action=action,
            unsafe_fixes=unsafe_fixes,
            prove=prove,
            judge=judge,
            jobs=jobs,
            on_progress=heard,
        )


def _check_stdin(
    content: bytes,
    name: str | None,
    configs: Configs,
    action: Action,
    unsafe_fixes: bool,
    prove: bool,
    judge: Judge | None,
) -> Report:
    from nanlint.config import ConfigError
    from nanlint.linter import Task, check_bytes

    directory = os.path.dirname(os.path.abspath(name)) if name else os.getcwd()
    try:
        config = configs.for_directory(directory)
    except ConfigError as error:
        raise Unusable(str(error)) from None
    task = Task(name or "-", config, action, unsafe_fixes, explicit=True, judge=judge)
    return check_bytes(content, task, prove=prove)


def _show_files(paths: Sequence[str], configs: Configs) -> int:
    from nanlint.source.discovery import discover

    found = discover(paths, configs)
    for failure in found.failures:
        click.echo(f"error: {failure}", err=True)
    for file in found.files:
        click.echo(os.path.abspath(file.path))
    return COULD_NOT_RUN if found.failures and not found.files else FINDINGS if found.failures else CLEAN


def _kept_run(directory: str | None, tfdbg: str | None) -> Run:
    from nanlint.runtime.inspecting.model import run_of
    from nanlint.runtime.inspecting.tfdbg import read_dump
    from nanlint.runtime.launch import latest_run
    from nanlint.runtime.runfile import RunError, read_run

    try:
        return read_dump(tfdbg) if tfdbg is not None else run_of(read_run(directory or latest_run()))
    except RunError as error:
        raise Unusable(str(error)) from None


def _inspect_at_terminal(run: Run, commands: Sequence[str]) -> int:
    from nanlint.runtime.inspecting.terminal import Mistake, Terminal

    terminal = Terminal(run, sys.stdout, None if sys.stdin.isatty() else sys.stdin)
    if not commands:
        terminal.interact()
        return CLEAN
    try:
        any(map(terminal.perform, commands))
    except Mistake as mistake:
        raise Unusable(str(mistake)) from None
    return CLEAN


# Printing


def _paint(color: str) -> Paint:
    from nanlint.output.paint import coloured, plain

    wanted = color == "always" or (color == "auto" and _wants_colour(os.environ, sys.stdout.isatty()))
    return coloured if wanted else plain


def _wants_colour(environment: Mapping[str, str], terminal: bool) -> bool:
    if environment.get("NO_COLOR"):
        return False
    return bool(environment.get("FORCE_COLOR")) or (terminal and environment.get("TERM") != "dumb")


def _print_messages(report: Report, quiet: bool) -> None:
    for message in report.messages:
        click.echo(f"error: {message}", err=True)
    if quiet:
        return
    for file in report.files:
        for note in file.notes:
            click.echo(f"warning: {note}", err=True)
    if not report.files and not report.messages:
        click.echo("warning: no Python files found under the given paths", err=True)


def _render(
    report: Report, output_format: str, statistics: bool, unsafe: bool, action: Action, quiet: bool, paint: Paint
) -> str:
    from nanlint.linter import Action
    from nanlint.output.summary import render_footer, render_statistics

    if statistics:
        table = render_statistics(report.diagnostics, unsafe=unsafe, paint=paint, as_json=output_format == "json")
    else:
        table = "".join(_rendered_findings(report, output_format, unsafe, paint))
    if quiet or output_format == "json":
        return table
    fixing = action is Action.FIX
    footer = render_footer(report.diagnostics, fixed=len(report.fixed), unsafe=unsafe, fixing=fixing, paint=paint)
    return table + footer


def _rendered_findings(report: Report, output_format: str, unsafe: bool, paint: Paint) -> Iterator[str]:
    if output_format == "json":
        from nanlint.output.json import render_json

        yield render_json(report.diagnostics)
    elif output_format == "concise":
        from nanlint.output.concise import render_concise

        yield render_concise(report.diagnostics, unsafe=unsafe, paint=paint)
    else:
        from nanlint.output.full import render_full

        for file in report.files:
            yield render_full(file.diagnostics, file.excerpt, paint=paint)


def _print_diff(report: Report, paint: Paint, quiet: bool) -> bool:
    from nanlint.output.diff import render_diff

    changes = False
    for file in report.files:
        if file.before is not None and file.after is not None:
            changes = True
            click.echo(render_diff(file.path, file.before.text, file.after.text, paint=paint), nl=False, color=True)
    if not quiet and report.checked:
        count = len(report.fixed)
        would = f"Would fix {count} error{'' if count == 1 else 's'}." if count else "No errors would be fixed."
        click.echo(would, err=True)
    return changes


def _print_mended(file: FileReport, content: bytes) -> None:
    """Standard input with its fixes goes to standard output, byte for byte if there were none."""
    sys.stdout.buffer.write(content if file.after is None else file.after.to_bytes())


def _print_page(text: str, is_markdown: bool) -> None:
    if is_markdown and sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(text))
    else:
        click.echo(text, nl=False)


def _write_report(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise Unusable(f"{path}: could not be written: {(error.strerror or str(error)).lower()}") from None


def _exit_code(report: Report, *, findings: bool, exit_zero: bool) -> int:
    if report.messages and not report.checked:
        return COULD_NOT_RUN
    if exit_zero:
        return CLEAN
    return FINDINGS if findings or report.messages else CLEAN
