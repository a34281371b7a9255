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
