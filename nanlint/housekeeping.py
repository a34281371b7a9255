"""The findings that are about the check itself (NL0xx), not about numerics: their codes, names and pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from nanlint.diagnostic import Applicability, Confidence, Diagnostic, Severity, Span
from nanlint.version import RUNNING


@dataclass(frozen=True)
class RulePage:
    """What users see of a rule, numeric or not; its page is ``<name>.md`` in nanlint/rules.

    ``origin``: the plugin that it is from; empty of our own. ``preview``: it runs with ``--preview`` only.
    """

    code: str
    name: str
    fixable: Applicability | None = None
    origin: str = ""
    preview: bool = False

    @property
    def page(self) -> str:
        return page_beside("nanlint", f"rules/{self.name}")

    @property
    def summary(self) -> str:
        return self.page.partition("\n")[0].strip().rstrip(".")


def page_beside(module: str, name: str) -> str:
    """The page of a rule from the Markdown file beside its module, or ""."""
    from pkgutil import get_data

    try:
        return (get_data(module, f"{name}.md") or b"").decode()
    except OSError:
        return ""


SYNTAX_ERROR = RulePage("NL000", "syntax-error")
UNUSED_SUPPRESSION = RulePage("NL001", "unused-suppression", Applicability.SAFE)
UNKNOWN_SUPPRESSION = RulePage("NL002", "unknown-suppression", Applicability.SAFE)
INTERNAL_ERROR = RulePage("NL003", "internal-error")
CUT_SHORT = RulePage("NL004", "cut-short")

HOUSEKEEPING: Mapping[str, RulePage] = {
    rule.code: rule for rule in (SYNTAX_ERROR, UNUSED_SUPPRESSION, UNKNOWN_SUPPRESSION, INTERNAL_ERROR, CUT_SHORT)
}


def syntax_error(path: str, span: Span, message: str, part: str = "file") -> Diagnostic:
    """NL000 at the place the parser names; ``part`` is what is lost with it."""
    told = message if "Python" in message or "nested" in message else f"{message} (parsed with {RUNNING})"
    return _certain(SYNTAX_ERROR, path, span, told, f"nothing in this {part} was checked")


def internal_error(path: str, reason: str) -> Diagnostic:
    message = f"nanlint failed on this file: {reason}; please report it (NANLINT_DEBUG=1 shows the traceback)"
    return _certain(INTERNAL_ERROR, path, Span(1, 1, 1, 1), message, "")


def cut_short(path: str, spent: str) -> Diagnostic:
    """NL004 for a whole file; ``spent``: what its check used up."""
    message = f"the check of this file was cut short after {spent}, so there may be more to find"
    return replace(_certain(CUT_SHORT, path, Span(1, 1, 1, 1), message, ""), severity=Severity.WARNING)


class RuleFailed(Exception):
    """A plugin's rule that raised an exception, or yielded something other than a finding. The message names it."""


def plugin_error(path: str, reason: str) -> Diagnostic:
    """NL003 for a file that a plugin's rule failed on."""
    return _certain(INTERNAL_ERROR, path, Span(1, 1, 1, 1), f"a custom rule failed: {reason}", "")


def _certain(rule: RulePage, path: str, span: Span, message: str, effect: str) -> Diagnostic:
    return Diagnostic(path, span, rule.code, rule.name, message, Confidence.CERTAIN, effect=effect)
