"""Which rules a user's word means, and which of several words wins. Where the words stood is config's concern."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

_DIGITS = "0123456789"
_CODE = re.compile(r"[a-z]+\d[a-z\d]*")

Rules = Mapping[str, str]  # code -> name


class LoadedWhenUsed(Mapping[str, str]):
    """Rules that are loaded when one of them is asked for, as most of the time to start is spent on that."""

    def __init__(self, load: Callable[[], Rules]) -> None:
        self._load = load

    @cached_property
    def _rules(self) -> Rules:
        return self._load()

    def __getitem__(self, code: str) -> str:
        return self._rules[code]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rules)

    def __len__(self) -> int:
        return len(self._rules)


# Shown whatever is selected, unless ignored by their own code or name: that a file was not checked is no finding of
# a rule, and hiding it would make the file look clean.
ALWAYS_ON = ("NL000", "NL003", "NL004")


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like ``word``, if one is alike at all.

    Codes with numbers close together are not alike: for a code, only one that differs by a typing error counts.
    """
    from difflib import get_close_matches

    by_folded = {name.casefold(): name for name in known}
    folded = word.casefold()
    if _CODE.fullmatch(folded):
        by_folded = {name: code for name, code in by_folded.items() if _mistyped(folded, name)}
    found = get_close_matches(folded, by_folded, n=1, cutoff=0.5)
    return by_folded[found[0]] if found else None


def _mistyped(word: str, code: str) -> bool:
    """Whether one character was added, left out, exchanged with the next, or typed in place of another (no digit)."""
    shorter, longer = sorted((word, code), key=len)
    if len(longer) - len(shorter) == 1:
        return any(longer[:at] + longer[at + 1 :] == shorter for at in range(len(longer)))
    differing = [at for at in range(len(word)) if word[at] != code[at]] if len(word) == len(code) else []
    match differing:
        case [at]:
            return not word[at].isdigit()
        case [at, following]:
            return following == at + 1 and word[at] == code[following] and word[following] == code[at]
    return False


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``; did you mean "…"?``, or nothing."""
    near = nearest(word, known)
    return f'; did you mean "{near}"?' if near else ""


def codes_of(selector: str, rules: Rules) -> frozenset[str]:
    """The codes meant by a code, a prefix of codes, a rule's name or ALL; empty when it means none."""
    folded = selector.strip()
    if folded.upper() == "ALL":
        return frozenset(rules)
    by_name = frozenset(code for code, name in rules.items() if name == folded.lower())
    if by_name or not folded:
        return by_name
    prefix = folded.upper()
    group = prefix.rstrip(_DIGITS)
    return frozenset(code for code in rules if code.startswith(prefix) and code.rstrip(_DIGITS) == group)


def specificity(selector: str, rules: Rules) -> int:
    """More specific selectors win over less specific ones: ALL, then prefixes by length, then codes and names."""
    if selector.upper() == "ALL":
        return 0
    longest = max(map(len, rules), default=0)
    return longest if selector.lower() in rules.values() else len(selector)


def select_codes(
    rules: Rules,
    start: frozenset[str],
    *,
    select: Iterable[str] | None,
    extend_select: Iterable[str] = (),
    ignore: Iterable[str] = (),
) -> frozenset[str]:
    """One layer of selection over ``start``, as Ruff has it: the more specific selector wins, a tie goes to ignore.

    The selectors must be known ones (see ``codes_of``).
    """
    selected = set(start) if select is None else set[str]()
    turns = [
        *((specificity(selector, rules), False, selector) for selector in (*(select or ()), *extend_select)),
        *((specificity(selector, rules), True, selector) for selector in ignore),
    ]
    for _, ignored, selector in sorted(turns):
        codes = codes_of(selector, rules)
        selected = selected - codes if ignored else selected | codes
    return frozenset(selected)


def always_on(rules: Rules, ignore: Sequence[str]) -> frozenset[str]:
    """The codes that no selection leaves out, without those that ``ignore`` names one by one."""
    ignored = {selector.upper() for selector in ignore} | {selector.lower() for selector in ignore}
    return frozenset(code for code in ALWAYS_ON if code in rules and ignored.isdisjoint((code, rules[code])))
