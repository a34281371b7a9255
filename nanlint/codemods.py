"""The fixes as a codemod of LibCST, for who runs it among others: ``python -m libcst.tool codemod``."""

from __future__ import annotations

import argparse

import libcst as cst
from libcst.codemod import CodemodCommand

import nanlint
from nanlint.diagnostic import STYLES


class Fix(CodemodCommand):
    """Rewrites what gives NaN or Inf into its stable form."""

    DESCRIPTION = "Rewrite what gives NaN or Inf into its stable form."

    @staticmethod
    def add_args(parser: argparse.ArgumentParser) -> None:
        """The options of ``nanlint check --fix`` that say what is fixed, and how."""
        parser.add_argument("--select", nargs="+", metavar="RULE", help="rules whose fixes are made: codes or names")
        parser.add_argument("--unsafe-fixes", action="store_true", help="make fixes that change values, too")
        parser.add_argument("--confidence", choices=["possible", "likely", "certain"], help="lowest confidence")
        parser.add_argument("--fix-style", choices=STYLES, help="the form of fixes that may have several")

    def __init__(self, context: cst.codemod.CodemodContext, *, unsafe_fixes: bool = False, **config: object) -> None:
        super().__init__(context)
        self.unsafe_fixes = unsafe_fixes
        self.config = {key: value for key, value in config.items() if value is not None}

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """The module with its fixes. What was not applied is a warning."""
        done = nanlint.fix_source(
            tree.code, self.context.filename or "<string>", unsafe_fixes=self.unsafe_fixes, **self.config
        )
        for note in done.notes:
            self.warn(note)
        return cst.parse_module(done.source.text, tree.config_for_parsing)
