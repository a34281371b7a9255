"""``nanlint server``: the language server, for editors."""

from __future__ import annotations

import os
import sys
from contextlib import redirect_stdout

import click

from nanlint.commands.base import CLEAN, FINDINGS, Unusable
from nanlint.commands.manual import Command

LEVELS = ("error", "warning", "info", "debug")


@click.command(
    cls=Command,
    short_help="Speak the Language Server Protocol with an editor.",
    examples=(
        ("nanlint server", "On standard input and output, as editors start it."),
        ("nanlint server --tcp 127.0.0.1:8712", "For one client that connects to a port."),
    ),
    exit_codes=(
        ("0", "The client has shut it down."),
        ("1", "The client has gone without a word."),
        ("2", "It could not begin: the extra is missing, or the port is taken."),
    ),
)
@click.option("--tcp", metavar="[HOST:]PORT", help="Listen there for one client, instead of on standard input.")
@click.option(
    "--log-level",
    type=click.Choice(LEVELS),
    default="warning",
    show_default=True,
    help="What is logged to standard error.",
)
@click.pass_context
def server(ctx: click.Context, tcp: str | None, *, log_level: str) -> None:
    """Speak the Language Server Protocol with an editor.

    Needs the extra `lsp`. How each editor starts it is in the guide: docs/editors.md.
    """
    import logging

    try:
        from nanlint.server.server import make_server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol", "cattrs", "attrs"):
            raise
        raise Unusable(f'the language server needs {error.name}; run: pip install "nanlint[lsp]"') from None
    logging.basicConfig(level=log_level.upper(), format="%(levelname)s %(name)s: %(message)s")
    served = make_server()
    if tcp is None:
        # What is printed by mistake must not get between the messages.
        with os.fdopen(os.dup(0), "rb") as reader, os.fdopen(os.dup(1), "wb") as writer, redirect_stdout(sys.stderr):
            served.start_io(reader, writer)
    else:
        host, port = _address(tcp)
        try:
            served.start_tcp(host, port)
        except OSError as error:
            from nanlint.opening import reason

            raise Unusable(f"cannot listen on {host}:{port}: {reason(error)}") from None
    ctx.exit(CLEAN if served.shut_down else FINDINGS)


def _address(given: str) -> tuple[str, int]:
    host, _, port = given.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        raise click.BadParameter(f"expected [HOST:]PORT, got {given!r}", param_hint="--tcp")
    return host or "127.0.0.1", int(port)
