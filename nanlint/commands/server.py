"""``nanlint server``: the language server, for editors."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, redirect_stdout
from typing import TYPE_CHECKING

import click

from nanlint.commands.base import CLEAN, FINDINGS, Unusable, trust_option
from nanlint.commands.manual import Command

if TYPE_CHECKING:
    import logging
    import socket

LEVELS = ("error", "warning", "info", "debug")


@click.command(
    cls=Command,
    short_help="Start the language server for an editor.",
    examples=(
        ("nanlint server", "Use standard input and output, as editors do."),
        ("nanlint server --tcp 127.0.0.1:8712", "Wait for one client on a port."),
    ),
    exit_codes=(
        ("0", "The client shut the server down."),
        ("1", "The client disconnected without shutting it down."),
        ("2", "The server could not start: the port is in use."),
    ),
)
@click.option(
    "--tcp", metavar="[HOST:]PORT", help="Listen on this port for one client, instead of using standard input."
)
@trust_option
@click.option(
    "--log-level",
    type=click.Choice(LEVELS),
    default="warning",
    show_default=True,
    help="Lowest level of messages to log to standard error.",
)
@click.pass_context
def server(ctx: click.Context, tcp: str | None, *, log_level: str) -> None:
    """Start the language server (Language Server Protocol) for an editor.

    To set up your editor, see https://nanlint.readthedocs.io/editors/
    """
    import logging

    from nanlint.server.server import make_server

    logging.basicConfig(level=log_level.upper(), format="%(levelname)s %(name)s: %(message)s")
    if log_level != "debug":
        for handler in logging.getLogger().handlers:
            handler.addFilter(_is_not_told_elsewhere)
    served = make_server()
    with ExitStack() as streams:
        if tcp is None:
            # What is printed by mistake must not get between the messages.
            reader, writer = streams.enter_context(os.fdopen(os.dup(0), "rb")), os.fdopen(os.dup(1), "wb")
            streams.enter_context(redirect_stdout(sys.stderr))
        else:
            client = streams.enter_context(_client(*_address(tcp)))
            reader, writer = streams.enter_context(client.makefile("rb")), client.makefile("wb")
        served.start_io(reader, writer)
    ctx.exit(CLEAN if served.shut_down else FINDINGS)


def _is_not_told_elsewhere(record: logging.LogRecord) -> bool:
    """Leave out the tracebacks of messages that are not understood: those are answered, and we say so ourselves."""
    return not record.getMessage().startswith(("Unable to handle message", "Unable to deserialize message"))


def _client(host: str, port: int) -> socket.socket:
    """The connection of the first client; raises Unusable."""
    import socket

    from nanlint.disk import reason

    try:
        with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET) as listening:
            return listening.accept()[0]
    except OSError as error:
        raise Unusable(f"cannot listen on {host}:{port}: {reason(error)}") from None


def _address(given: str) -> tuple[str, int]:
    host, _, port = given.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        raise click.BadParameter(f"expected [HOST:]PORT, got {given!r}", param_hint="--tcp")
    return host or "127.0.0.1", int(port)
