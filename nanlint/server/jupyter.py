"""The entry point by which jupyter-lsp, and so JupyterLab, finds the server without any configuration."""

from __future__ import annotations

import sys
from typing import Any

from nanlint.server.settings import KINDS

#: the version of the description that jupyter-lsp reads
_SPEC_VERSION = 2
#: settings that change nothing in JupyterLab: it asks for no code actions and shows open files only, and nobody may be
#: trusted by what comes with a workspace
WITHOUT_EFFECT = frozenset({"fixAll", "unsafeFixes", "diagnosticMode", "trust"})


def spec(manager: object) -> dict[str, dict[str, Any]]:
    """How the server is started, and for which languages."""
    command = [sys.executable, "-m", "nanlint", "server"]
    return {
        "nanlint": {
            "version": _SPEC_VERSION,
            "argv": command,
            "debug_argv": [*command, "--log-level", "debug"],
            "languages": ["python"],
            "mime_types": ["text/python", "text/x-ipython"],
            "display_name": "nanlint",
            "requires_documents_on_disk": False,
            "urls": {
                "home": "https://nanlint.readthedocs.io/",
                "issues": "https://github.com/nanlint/nanlint/issues",
            },
            "install": {"pip": "pip install nanlint"},
            "config_schema": {"title": "nanlint", "type": "object", "properties": _settings()},
        }
    }


def _settings() -> dict[str, dict[str, Any]]:
    """The settings that JupyterLab shows."""
    return {
        f"nanlint.{name}": {**kind.schema, "default": kind.default, "description": kind.about}
        for name, kind in KINDS.items()
        if name not in WITHOUT_EFFECT
    }
