"""Fingerprints: what is the same finding after the file has changed."""

from __future__ import annotations

from nanlint import check_source

LOSS = """\
import torch


def nll(logits):
    return -torch.log(torch.softmax(logits, -1))


class Model:
    def nll(self, logits):
        return -torch.log(torch.softmax(logits, -1))
"""


def _prints(text: str) -> list[str]:
    return [finding.fingerprint for finding in check_source(text)]


def test_lines_that_move_do_not_change_it() -> None:
    moved = LOSS.replace("\n\n\ndef", "\n\nANSWER = 42\n\n\ndef helper():\n    return 1\n\n\ndef", 1)
    assert [finding.span.row for finding in check_source(moved)] != [finding.span.row for finding in check_source(LOSS)]
    assert _prints(moved) == _prints(LOSS)


def test_formatting_does_not_change_it() -> None:
    wrapped = LOSS.replace("torch.softmax(logits, -1)", "\n        torch.softmax(logits,   -1)\n    ")
    assert _prints(wrapped) == _prints(LOSS)


def test_the_same_expression_in_another_function_is_another_finding() -> None:
    first, second = _prints(LOSS)
    assert first != second


def test_the_same_expression_twice_in_one_function_is_two_findings() -> None:
    doubled = LOSS.replace(
        "    return -torch.log(torch.softmax(logits, -1))\n\n",
        "    x = torch.log(torch.softmax(logits, -1))\n    return x - torch.log(torch.softmax(logits, -1))\n\n",
        1,
    )
    prints = _prints(doubled)
    assert len(set(prints)) == len(prints) == 3
    assert set(_prints(LOSS)) < set(prints)


def test_another_rule_or_another_expression_changes_it() -> None:
    (one,) = _prints("import torch\n\ny = torch.log(torch.softmax(x, -1))\n")
    (other,) = _prints("import torch\n\ny = torch.log(torch.softmax(z, -1))\n")
    assert one != other


def test_a_file_that_does_not_parse_has_one_too() -> None:
    (fingerprint,) = _prints("def f(:\n")
    assert fingerprint


def test_a_comment_inside_of_the_expression_does_not_change_it() -> None:
    commented = LOSS.replace("torch.log(torch", "torch.log(  # a comment\n        torch")
    assert _prints(commented) == _prints(LOSS)
