"""The prescan: files that cannot matter are not parsed."""

from __future__ import annotations

import pytest

from nanlint.source.prescan import prescan
from nanlint.source.roots import ROOTS


@pytest.mark.parametrize("line", [b"import torch", b"from tensorflow.keras import backend", b"from jax import numpy"])
def test_a_file_that_names_a_framework_is_read(line: bytes) -> None:
    assert prescan(b"'''doc'''\n" + line + b"\n", ROOTS)


def test_a_file_that_names_none_is_passed_over() -> None:
    assert not prescan(b"import django\nlog(0)  # noqa: E501\n", ROOTS)


@pytest.mark.parametrize("comment", [b"# nanlint: ignore", b"# noqa: NL103"])
def test_a_suppression_of_ours_may_be_unused_and_is_read(comment: bytes) -> None:
    assert prescan(b"import django  " + comment + b"\n", ROOTS)


def test_the_packages_are_the_callers_choice() -> None:
    assert prescan(b"import mylib\n", ["mylib"])
    assert not prescan(b"import torch\n", ["mylib"])
