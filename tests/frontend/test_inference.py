"""Numbers that only inference tells: found without a look outside of the project, and without a trace."""

from __future__ import annotations

from pathlib import Path

import pytest
from astroid.manager import AstroidManager

import nanlint
from nanlint.frontend import inference
from tests.project.test_view import written

#: what a module defines, with a number to be put in, and how it is read
DEFINED = {
    "a member of an enum": ("import enum\nclass Eps(enum.Enum):\n    SMALL = {}\n", "Eps.SMALL.value"),
    "a property of an enum": (
        "import enum\nclass M(enum.Enum):\n    MEAN = 1\n    @property\n    def eps(self):\n        return {}\n",
        "M.MEAN.eps",
    ),
    "a property of a metaclass": (
        "class M(type):\n    @property\n    def eps(cls):\n        return {}\n\nclass A(metaclass=M):\n    pass\n",
        "A.eps",
    ),
}
STATE = """
class Parts:
    def __new__(cls):
        self = super().__new__(cls)
        self.eps = 0.0
        return self


parts = Parts()
"""
DIAMOND = """
class A:
    eps = {}


class B(A):
    pass


class C(A):
    eps = {}


class D(B, C):
    pass
"""
LOSS = "import torch\nfrom lib.conf import *\n\n\ndef loss(x):\n    return torch.log(torch.relu(x) + {}).mean()\n"


def found(tmp_path: Path, defined: str, read: str) -> list[str]:
    written(
        tmp_path,
        {
            "setup.py": "",
            "lib/__init__.py": "from . import conf\n",
            "lib/conf.py": "from ._conf import *\n",
            "lib/_conf.py": f"{defined}(__file__ + 1).run()\n",
            "train.py": LOSS.format(read),
        },
    )
    return [one.code for one in nanlint.check_paths([str(tmp_path / "train.py")]).diagnostics]


@pytest.mark.parametrize("name", DEFINED)
def test_a_number_that_only_inference_tells_is_known(tmp_path: Path, name: str) -> None:
    defined, read = DEFINED[name]
    assert found(tmp_path / "good", defined.format("1e-6"), read) == []
    assert found(tmp_path / "bad", defined.format("0.0"), read) == ["NL103"]


def test_the_zero_of_an_object_may_be_where_a_state_starts(tmp_path: Path) -> None:
    assert found(tmp_path, STATE, "parts.eps") == []


def test_the_base_that_two_bases_share_comes_after_both(tmp_path: Path) -> None:
    assert found(tmp_path / "good", DIAMOND.format("0.0", "1e-6"), "D.eps") == []
    assert found(tmp_path / "bad", DIAMOND.format("1e-6", "0.0"), "D.eps") == ["NL103"]


def test_what_two_branches_define_is_not_one_number(tmp_path: Path) -> None:
    defined = "import enum, sys\nclass Eps(enum.Enum):\n    SMALL = 0.0 if sys.argv else 1e-6\n"
    assert found(tmp_path, defined, "Eps.SMALL.value") == []


def test_only_modules_of_the_project_are_given_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    ask = inference.Inference._imported
    monkeypatch.setattr(
        inference.Inference, "_imported", lambda self, name, *_, **__: asked.append(name) or ask(self, name)
    )
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.py").write_text("from enum import Enum\nclass Eps(Enum):\n    SMALL = 0.0\n")
    monkeypatch.syspath_prepend(str(tmp_path / "outside"))
    assert found(tmp_path / "project", "from secret import Eps\nclass Own(Eps):\n    pass\n", "Own.SMALL.value") == []
    assert "secret" in asked


def test_it_is_asked_at_most_so_often(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inference, "MAX_ASKED", 0)
    defined, read = DEFINED["a member of an enum"]
    assert found(tmp_path, defined.format("0.0"), read) == []


def test_others_who_use_astroid_find_it_as_it_was(tmp_path: Path) -> None:
    before = AstroidManager.ast_from_module_name, set(AstroidManager.brain["astroid_cache"]) - {"builtins"}
    defined, read = DEFINED["a member of an enum"]
    assert found(tmp_path, defined.format("0.0"), read) == ["NL103"]
    after = AstroidManager.ast_from_module_name, set(AstroidManager.brain["astroid_cache"]) - {"builtins"}
    assert after == before
