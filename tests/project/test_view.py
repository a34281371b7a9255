"""Sight across files: what a project of a few files lets nanlint know of one of them."""

from __future__ import annotations

import ast
import builtins
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import nanlint
from nanlint.lint.one_file import diagnose_source, run_task
from nanlint.lint.report import Task
from nanlint.source import Source
from nanlint.source.project import View, in_project
from nanlint.source.project_files import MAX_BYTES

Finding = tuple[str, int, str]

#: a helper: its logarithm is -inf, where nothing else is known of it there is nothing to say
SOFTMAX = "import torch\n\n\ndef probabilities(x):\n    return torch.softmax(x, -1)\n"
#: what is found in ``loss`` where its helper is seen, in row 6
SEEN = [("main.py", 6, "NL101")]


def caller(imports: str, used: str = "probabilities(x)") -> str:
    """A file that takes the logarithm of what a helper returns, in the row after its imports and two more."""
    return f"import torch\n\n{imports}\n\ndef loss(x):\n    return torch.log({used})\n"


def divided(imports: str, eps: str = "EPS") -> str:
    """A file that divides by a norm and an epsilon, in row 6."""
    return f"import torch\n\n{imports}\n\ndef unit(x):\n    return x / (x.norm(dim=-1, keepdim=True) + {eps})\n"


def written(root: Path, files: Mapping[str, str]) -> None:
    """The files of a project, of which a ``pyproject.toml`` marks the top."""
    for name, text in {"pyproject.toml": "", **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def found(root: Path, *paths: str) -> list[Finding]:
    """What is found in files of a project: their paths, rows and codes; nothing may fail."""
    report = nanlint.check_paths([str(root / path) for path in paths])
    assert not report.messages
    return [(Path(os.path.relpath(d.path, root)).as_posix(), d.span.row, d.code) for d in report.diagnostics]


def checked(root: Path, files: Mapping[str, str], *paths: str) -> list[Finding]:
    written(root, files)
    return found(root, *(paths or ("main.py",)))


def view_of(source: Source) -> View:
    assert isinstance(source.view, View)
    return source.view


# ── what another file says ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_softmax_in_another_file_and_its_logarithm_here_are_a_finding(tmp_path: Path) -> None:
    assert checked(tmp_path, {"main.py": caller("from helpers import probabilities"), "helpers.py": SOFTMAX}) == SEEN


@pytest.mark.parametrize(
    ("imports", "log"),
    [
        ("from .wrapper import soft", "soft(x).log()"),
        ("from . import wrapper", "wrapper.soft(x).log()"),
        ("from .wrapper import xp", "xp.log(xp.softmax(x, -1))"),
    ],
)
@pytest.mark.parametrize("inside", [False, True])
def test_a_file_that_names_no_framework_is_checked_on_a_walk_if_one_is_behind_it(
    tmp_path: Path, imports: str, log: str, inside: bool
) -> None:
    top, local = ("", f"    {imports}\n") if inside else (f"{imports}\n", "")
    files = {
        "pkg/__init__.py": "",
        "pkg/compat.py": "import torch as xp\n",
        "pkg/wrapper.py": "from .compat import xp\n\ndef soft(x):\n    return xp.softmax(x, -1)\n",
        "pkg/loss.py": f"{top}\ndef loss(x):\n{local}    return {log}\n",
        "pkg/calm.py": f"{top}\ndef loss(x):\n{local}    return {log.replace('log', 'exp')}\n",
    }
    assert checked(tmp_path, files, ".") == [("pkg/loss.py", 4, "NL101")]
    assert found(tmp_path, "pkg/loss.py", "pkg/calm.py") == [("pkg/loss.py", 4, "NL101")]


def test_a_walk_passes_over_a_file_behind_which_there_is_no_framework(tmp_path: Path) -> None:
    text = "from helpers import soft\n\ndef loss(x):\n    return soft(x).softmax(-1).log()\n"
    assert checked(tmp_path, {"main.py": text, "helpers.py": "from other import soft\n", "other.py": ""}, ".") == []


def test_without_the_other_file_nothing_is_said(tmp_path: Path) -> None:
    assert checked(tmp_path, {"main.py": caller("from helpers import probabilities")}) == []


@pytest.mark.parametrize("check", ["if (n == 0).any():\n        raise ValueError", "assert (n > 0).all()"])
def test_a_guard_in_a_helper_of_another_file_silences(tmp_path: Path, check: str) -> None:
    main = "import torch\nfrom helpers import check\n\ndef unit(x):\n"
    main += "    n = x.norm(dim=-1, keepdim=True)\n    check(n)\n    return x / n\n"
    assert checked(tmp_path, {"main.py": main}) == [("main.py", 7, "NL302")]
    assert checked(tmp_path, {"main.py": main, "helpers.py": f"def check(n):\n    {check}\n"}) == []


def test_an_operand_that_another_file_keeps_away_from_zero_is_safe(tmp_path: Path) -> None:
    helper = SOFTMAX.replace("-1)", "-1).clamp(min=1e-6)")
    assert checked(tmp_path, {"main.py": caller("from helpers import probabilities"), "helpers.py": helper}) == []


@pytest.mark.parametrize(("eps", "code"), [("0", "NL303"), ("0.0", "NL303"), ("1e-50", "NL501"), ("1e-8", None)])
@pytest.mark.parametrize(
    ("imports", "name"),
    [("from config import EPS", "EPS"), ("import config", "config.EPS"), ("from config import EPS as e", "e")],
)
def test_an_epsilon_is_what_the_configuration_says(
    tmp_path: Path, imports: str, name: str, eps: str, code: str | None
) -> None:
    files = {"main.py": divided(imports, name), "config.py": f"EPS = {eps}\n"}
    assert checked(tmp_path, files) == ([("main.py", 6, code)] if code else [])


def test_a_constant_that_its_file_changes_is_not_known(tmp_path: Path) -> None:
    config = "EPS = 0.0\n\ndef setup(e):\n    global EPS\n    EPS = e\n"
    assert checked(tmp_path, {"main.py": divided("from config import EPS"), "config.py": config}) == []


def test_a_constant_that_depends_on_the_environment_is_not_known(tmp_path: Path) -> None:
    config = "import os\n\nEPS = 0.0\nif os.environ.get('EPS'):\n    EPS = 1e-8\n"
    assert checked(tmp_path, {"main.py": divided("from config import EPS"), "config.py": config}) == []


@pytest.mark.parametrize("base", ["from base import Base", "import base", "from base import Base as Parent"])
def test_a_base_class_of_another_file_sets_the_epsilon(tmp_path: Path, base: str) -> None:
    name = {"import base": "base.Base"}.get(base, base.rpartition(" ")[2])
    main = f"import torch\n{base}\n\nclass Model({name}):\n    def forward(self, x):\n"
    main += "        return x / (x.norm(dim=-1, keepdim=True) + self.eps)\n"
    init = "    def __init__(self):\n        super().__init__()\n        self.eps = {}\n"
    text = "import torch\n\nclass Base(torch.nn.Module):\n" + init
    assert checked(tmp_path, {"main.py": main, "base.py": text.format("1e-50")}) == [("main.py", 6, "NL501")]
    assert checked(tmp_path, {"base.py": text.format("1e-8")}) == []


def test_a_base_class_of_another_file_sets_the_activation(tmp_path: Path) -> None:
    init = "    def __init__(self):\n        super().__init__()\n        self.act = torch.nn.Softmax(dim=-1)\n"
    main = "import torch\nfrom base import Base\n\nclass Model(Base):\n    def forward(self, x):\n"
    main += "        return torch.log(self.act(x))\n"
    files = {"main.py": main, "base.py": "import torch\n\nclass Base(torch.nn.Module):\n" + init}
    assert checked(tmp_path, files) == SEEN


@pytest.mark.parametrize(
    ("helper", "used"),
    [
        ("model = torch.nn.Softmax(-1)", "model(x)"),
        ("def model():\n    return torch.nn.Softmax(-1)", "model()(x)"),
        ("model = {'softmax': torch.nn.Softmax(-1)}", "model['softmax'](x)"),
        ("@torch.jit.script\ndef model(x):\n    return torch.softmax(x, -1)", "model(x)"),
        ("model = lambda x: torch.softmax(x, -1)", "model(x)"),
    ],
)
def test_layers_factories_and_tables_of_another_file_are_followed(tmp_path: Path, helper: str, used: str) -> None:
    files = {"main.py": caller("from helpers import model", used), "helpers.py": f"import torch\n\n{helper}\n"}
    assert checked(tmp_path, files) == SEEN


def test_what_is_wrong_in_another_file_is_reported_there_only(tmp_path: Path) -> None:
    helper = SOFTMAX + "\n\ndef surprise(x):\n    return torch.log(probabilities(x))\n"
    main = "import torch\nfrom helpers import surprise\n\ndef loss(x):\n    return surprise(x).sum()\n"
    written(tmp_path, {"main.py": main, "helpers.py": helper})
    assert found(tmp_path, "main.py") == []
    assert found(tmp_path, ".") == [("helpers.py", 9, "NL101")]


# ── how a name is imported ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("imports", "used"),
    [
        ("from common import *", "torch.softmax(x, -1)"),
        ("from common import *", "F.softmax(x, -1)"),
        ("from common import *", "softmax(x, -1)"),
        ("import common as K", "K.softmax(x, -1)"),
        ("import common", "common.torch.softmax(x, -1)"),
        ("from common import F as functional", "functional.softmax(x, -1)"),
    ],
)
def test_a_module_hands_on_what_it_has_of_a_framework(tmp_path: Path, imports: str, used: str) -> None:
    common = "import torch\nimport torch.nn.functional as F\nfrom torch import *\n"
    assert checked(tmp_path, {"main.py": caller(imports, used), "common.py": common}) == SEEN


@pytest.mark.parametrize(
    "star",
    ["from torch import *", "from torch import log, softmax", "import torch\nlog, softmax = torch.log, torch.softmax"],
)
def test_a_backend_module_of_the_project_stands_for_its_framework(tmp_path: Path, star: str) -> None:
    main = "import backend as K\n\ndef loss(x):\n    return K.log(K.softmax(x, -1))\n"
    written(tmp_path, {"main.py": main, "backend.py": star + "\n"})
    assert found(tmp_path, "main.py") == found(tmp_path, ".") == [("main.py", 4, "NL101")]


def test_a_file_that_names_no_framework_is_checked_for_what_it_imports(tmp_path: Path) -> None:
    main = "from helpers import probabilities\n\ndef loss(x):\n    return probabilities(x).log()\n"
    written(tmp_path, {"main.py": main, "helpers.py": SOFTMAX})
    assert found(tmp_path, "main.py") == [("main.py", 4, "NL101")]


@pytest.mark.parametrize(
    ("init", "imports", "used"),
    [
        ("from .inner import probabilities", "from lib import probabilities", "probabilities(x)"),
        ("from .inner import probabilities", "import lib", "lib.probabilities(x)"),
        ("from .inner import probabilities as p", "from lib import p", "p(x)"),
        ("from .inner import *", "from lib import probabilities", "probabilities(x)"),
        ("from .inner import *", "from lib import *", "probabilities(x)"),
        ("from . import inner", "import lib", "lib.inner.probabilities(x)"),
        ("from . import inner as i", "from lib import i", "i.probabilities(x)"),
        ("from lib.inner import probabilities", "from lib import probabilities", "probabilities(x)"),
        ("import lib.inner\np = lib.inner.probabilities", "from lib import p", "p(x)"),
        ("", "import lib.inner", "lib.inner.probabilities(x)"),
        ("", "import lib.inner as i", "i.probabilities(x)"),
        ("", "from lib import inner", "inner.probabilities(x)"),
    ],
)
def test_a_package_hands_on_what_its_modules_have(tmp_path: Path, init: str, imports: str, used: str) -> None:
    files = {"main.py": caller(imports, used), "lib/__init__.py": init + "\n", "lib/inner.py": SOFTMAX}
    assert checked(tmp_path, files) == SEEN


def test_a_package_hands_on_a_function_that_is_called_as_its_module(tmp_path: Path) -> None:
    init = "from .probabilities import probabilities\n"
    files = {"lib/__init__.py": init, "lib/probabilities.py": SOFTMAX}
    assert checked(tmp_path, {**files, "main.py": caller("from lib import probabilities")}) == SEEN
    assert checked(tmp_path, {**files, "main.py": caller("import lib", "lib.probabilities(x)")}) == SEEN


def test_a_name_is_handed_on_through_several_packages(tmp_path: Path) -> None:
    files = {
        "main.py": caller("from lib import shares"),
        "lib/__init__.py": "from .sub import soft as shares\n",
        "lib/sub/__init__.py": "from ..inner import probabilities as soft\n",
        "lib/inner.py": SOFTMAX,
    }
    assert checked(tmp_path, {**files, "main.py": caller("from lib import shares", "shares(x)")}) == SEEN


def test_a_star_brings_what_all_lists_and_no_private_names(tmp_path: Path) -> None:
    main, helper = caller("from helpers import *", "_shares(x)"), SOFTMAX + "\n_shares = probabilities\n"
    assert checked(tmp_path, {"main.py": main, "helpers.py": helper}) == []
    assert checked(tmp_path, {"helpers.py": helper + "__all__ = ['_shares']\n"}) == SEEN


def test_an_import_in_a_function_is_followed(tmp_path: Path) -> None:
    main = "import torch\n\ndef loss(x):\n    from helpers import probabilities as p\n\n    return torch.log(p(x))\n"
    assert checked(tmp_path, {"main.py": main, "helpers.py": SOFTMAX}) == SEEN


def test_a_helper_that_imports_in_its_body_is_followed(tmp_path: Path) -> None:
    helper = "def shares(x):\n    from lib import probabilities\n\n    return probabilities(x)\n"
    files = {"main.py": caller("from helpers import shares", "shares(x)"), "helpers.py": helper, "lib.py": SOFTMAX}
    assert checked(tmp_path, files) == SEEN


def test_an_import_that_may_fail_is_followed(tmp_path: Path) -> None:
    main = caller("try:\n    from helpers import probabilities\nexcept ImportError:\n    probabilities = None")
    assert checked(tmp_path, {"main.py": main, "helpers.py": SOFTMAX}) == [("main.py", 9, "NL101")]


def test_a_fallback_for_what_cannot_be_imported_is_followed(tmp_path: Path) -> None:
    helper = "try:\n    from nowhere import probabilities\nexcept ImportError:\n"
    helper += "    import torch\n\n    def probabilities(x):\n        return torch.softmax(x, -1)\n"
    assert checked(tmp_path, {"main.py": caller("from helpers import probabilities"), "helpers.py": helper}) == SEEN


def test_a_fallback_to_another_module_is_followed(tmp_path: Path) -> None:
    helper = "try:\n    from nowhere import probabilities\nexcept ImportError:\n    from other import probabilities\n"
    files = {"main.py": caller("from helpers import probabilities"), "helpers.py": helper, "other.py": SOFTMAX}
    assert checked(tmp_path, files) == SEEN


def test_stars_in_a_circle_bring_the_same_wherever_one_starts(tmp_path: Path) -> None:
    files = {"a.py": "from b import *\n", "b.py": "from a import *\nfrom c import *\n"}
    files |= {"c.py": "from a import *\n" + SOFTMAX, "main.py": caller("from a import probabilities")}
    assert checked(tmp_path, files) == SEEN
    files["main.py"] = caller("from c import *\nfrom a import probabilities as p", "p(x)")
    assert checked(tmp_path, files) == [("main.py", 7, "NL101")]


def test_an_import_for_type_checkers_disturbs_nothing(tmp_path: Path) -> None:
    main = """\
from __future__ import annotations
from typing import TYPE_CHECKING
import torch
if TYPE_CHECKING:
    from helpers import Settings

def loss(x: torch.Tensor, settings: Settings) -> torch.Tensor:
    return torch.log(torch.softmax(x, -1))
"""
    helper = "from main import loss\n\nclass Settings:\n    eps: float = 0.0\n"
    assert checked(tmp_path, {"main.py": main, "helpers.py": helper}) == [("main.py", 8, "NL101")]


@pytest.mark.parametrize("main", ["lib/main.py", "lib/sub/main.py"])
def test_relative_imports_start_from_the_own_package(tmp_path: Path, main: str) -> None:
    dots = "." * main.count("/")
    files = dict.fromkeys(("lib/__init__.py", "lib/sub/__init__.py"), "")
    files |= {main: caller(f"from {dots}helpers import probabilities"), "lib/helpers.py": SOFTMAX}
    assert checked(tmp_path, files, main) == [(main, 6, "NL101")]


@pytest.mark.parametrize("dots", ["..", "...", "......."])
def test_a_relative_import_that_goes_too_far_up_means_nothing(tmp_path: Path, dots: str) -> None:
    files = {"lib/__init__.py": "", "lib/main.py": caller(f"from {dots}helpers import probabilities")}
    assert checked(tmp_path, {**files, "helpers.py": SOFTMAX}, "lib/main.py") == []


def test_a_file_that_imports_itself_through_its_package_sees_what_it_has(tmp_path: Path) -> None:
    text = SOFTMAX + "\n\ndef loss(x):\n    {}\n    return torch.log({})\n"
    for imports, used in (
        ("from lib.main import probabilities as p", "p(x)"),
        ("from .main import probabilities as p", "p(x)"),
        ("import lib.main", "lib.main.probabilities(x)"),
    ):
        files = {"lib/__init__.py": "", "lib/main.py": text.format(imports, used)}
        assert checked(tmp_path, files, "lib/main.py") == [("lib/main.py", 10, "NL101")]


# ── where files are ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("main", ["src/lib/main.py", "tests/test_main.py", "scripts/deep/main.py", "main.py"])
def test_packages_are_found_under_src_from_everywhere(tmp_path: Path, main: str) -> None:
    files = {"src/lib/__init__.py": "", "src/lib/helpers.py": SOFTMAX}
    files[main] = caller("from lib.helpers import probabilities")
    assert checked(tmp_path, files, main) == [(main, 6, "NL101")]


@pytest.mark.parametrize(
    ("main", "imports"),
    [
        ("lib/main.py", "from lib.helpers import probabilities"),
        ("lib/main.py", "from .helpers import probabilities"),
        ("main.py", "from lib.helpers import probabilities"),
        ("scripts/main.py", "from lib.helpers import probabilities"),
    ],
)
def test_a_directory_without_an_init_is_a_package_none_the_less(tmp_path: Path, main: str, imports: str) -> None:
    files = {"lib/helpers.py": SOFTMAX, main: caller(imports)}
    assert checked(tmp_path, files, main) == [(main, 6, "NL101")]


def test_without_a_marker_the_directory_of_a_script_is_its_project(tmp_path: Path) -> None:
    written(tmp_path, {"main.py": caller("from helpers import probabilities"), "helpers.py": SOFTMAX})
    (tmp_path / "pyproject.toml").unlink()
    assert found(tmp_path, "main.py") == SEEN


def test_of_two_packages_of_one_name_the_nearer_is_meant(tmp_path: Path) -> None:
    bounded = SOFTMAX.replace("torch.softmax(x, -1)", "torch.exp(x.clamp(-1, 1))")
    files = {f"{one}/main.py": caller("from lib.helpers import probabilities") for one in ("one", "two")}
    files |= {f"{one}/lib/__init__.py": "" for one in ("one", "two")}
    files |= {"one/lib/helpers.py": SOFTMAX, "two/lib/helpers.py": bounded}
    expected = [("one/main.py", 6, "NL101")]
    written(tmp_path, files)
    assert found(tmp_path, "one", "two") == found(tmp_path, "two", "one") == found(tmp_path, ".") == expected


def test_a_package_is_seen_through_a_link_to_its_directory(tmp_path: Path) -> None:
    written(tmp_path, {"main.py": caller("from lib.helpers import probabilities"), "real/lib/__init__.py": ""})
    (tmp_path / "real/lib/helpers.py").write_text(SOFTMAX)
    (tmp_path / "lib").symlink_to(tmp_path / "real" / "lib", target_is_directory=True)
    assert found(tmp_path, "main.py") == SEEN


def test_a_link_that_leads_around_in_a_circle_harms_nothing(tmp_path: Path) -> None:
    written(tmp_path, {"lib/main.py": caller("from lib.lib.lib.helpers import probabilities"), "lib/__init__.py": ""})
    (tmp_path / "lib" / "helpers.py").write_text(SOFTMAX)
    (tmp_path / "lib" / "lib").symlink_to(tmp_path / "lib", target_is_directory=True)
    assert found(tmp_path, "lib/main.py") in ([], [("lib/main.py", 6, "NL101")])


def test_a_file_that_is_checked_through_a_link_sees_its_real_neighbours(tmp_path: Path) -> None:
    written(tmp_path / "project", {"main.py": caller("from helpers import probabilities"), "helpers.py": SOFTMAX})
    (tmp_path / "link").symlink_to(tmp_path / "project", target_is_directory=True)
    assert found(tmp_path, "link/main.py") == [("link/main.py", 6, "NL101")]


# ── names that are another's ────────────────────────────────────────────────────────────────────────────────────────

HARMLESS = "def log(x):\n    return 1.0\n\ndef softmax(x, dim):\n    return x\n"
LOG_OF_SOFTMAX = "{}\n\ndef loss(x):\n    return {}.log({}.softmax(x, -1))\n"


@pytest.mark.parametrize("neighbour", ["torch.py", "torch/__init__.py", "src/torch/__init__.py"])
def test_a_file_called_as_a_framework_is_not_taken_for_it(tmp_path: Path, neighbour: str) -> None:
    files = {"main.py": LOG_OF_SOFTMAX.format("import torch", "torch", "torch"), neighbour: HARMLESS}
    assert checked(tmp_path, files) == [("main.py", 4, "NL101")]


def test_a_module_of_a_package_that_is_called_as_a_framework_is_its_own(tmp_path: Path) -> None:
    files = {"lib/__init__.py": "", "lib/torch.py": HARMLESS}
    files["lib/main.py"] = LOG_OF_SOFTMAX.format("import torch as t\nfrom . import torch", "torch", "torch")
    assert checked(tmp_path, files, "lib/main.py") == []
    files["lib/main.py"] = LOG_OF_SOFTMAX.format("import torch", "torch", "torch")
    assert checked(tmp_path, files, "lib/main.py") == [("lib/main.py", 4, "NL101")]


@pytest.mark.parametrize("name", ["math", "types", "random", "numbers", "statistics"])
def test_a_file_called_as_a_module_of_python_is_not_taken_for_it(tmp_path: Path, name: str) -> None:
    files = {"main.py": caller(f"from {name} import probabilities"), f"{name}.py": SOFTMAX}
    assert checked(tmp_path, files) == []


def test_a_module_of_a_package_may_be_called_as_one_of_python(tmp_path: Path) -> None:
    files = {"lib/__init__.py": "", "lib/math.py": SOFTMAX, "lib/main.py": caller("from .math import probabilities")}
    assert checked(tmp_path, files, "lib/main.py") == [("lib/main.py", 6, "NL101")]


@pytest.mark.parametrize(
    ("name", "used"),
    [("inf", "torch.softmax(x.masked_fill(mask, -inf), -1)"), ("nan", "torch.where(x == nan, 0.0, x)")],
)
def test_a_constant_of_the_project_is_not_what_another_of_its_name_is(tmp_path: Path, name: str, used: str) -> None:
    main = f"import torch\nfrom config import {name}\n\ndef loss(x, mask):\n    return {used}\n"
    assert checked(tmp_path, {"main.py": main, "config.py": f"{name} = 999.0\n"}) == []


# ── what cannot be read ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        SOFTMAX + "\ndef broken(:\n",
        SOFTMAX + "\0",
        "\0\1\2",
        "# coding: no-such-codec\n" + SOFTMAX,
        "if " + "(" * 500 + "x" + ")" * 500 + ":\n    pass\n",
        "",
    ],
    ids=["syntax", "null byte", "binary", "codec", "nesting", "empty"],
)
def test_a_broken_file_is_as_good_as_none(tmp_path: Path, text: str) -> None:
    main = caller("from helpers import probabilities") + "\ndef own(x):\n    return torch.log(torch.softmax(x, -1))\n"
    written(tmp_path, {"main.py": main})
    alone = found(tmp_path, "main.py")
    assert alone == [("main.py", 9, "NL101")]
    (tmp_path / "helpers.py").write_text(text)
    assert found(tmp_path, "main.py") == alone


def test_a_directory_that_is_called_as_a_file_is_none(tmp_path: Path) -> None:
    (tmp_path / "helpers.py").mkdir()
    assert checked(tmp_path, {"main.py": caller("from helpers import probabilities")}) == []


def test_a_very_large_file_is_not_read(tmp_path: Path) -> None:
    main = caller("from helpers import probabilities")
    padding = "# " + "x" * (MAX_BYTES - len(SOFTMAX) - 3)
    assert checked(tmp_path, {"main.py": main, "helpers.py": f"{SOFTMAX}{padding}\n"}) == SEEN
    assert checked(tmp_path, {"helpers.py": f"{SOFTMAX}{padding}xx\n"}) == []


@pytest.mark.parametrize(
    "files",
    [
        {"helpers.py": "from main import SCALE, loss\n" + SOFTMAX, "main.py": "SCALE = 2\n"},
        {"helpers.py": "from other import *\n" + SOFTMAX, "other.py": "from helpers import *\n"},
    ],
)
def test_cyclic_imports_are_followed(tmp_path: Path, files: dict[str, str]) -> None:
    main = caller("from helpers import probabilities") + files.get("main.py", "")
    assert checked(tmp_path, {**files, "main.py": main}) == SEEN


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("from b import probabilities", "from a import probabilities"),
        ("from b import *", "from a import *"),
        ("import b\nprobabilities = b.probabilities", "import a\nprobabilities = a.probabilities"),
        ("from b import B\nclass probabilities(B): pass", "from a import probabilities as A\nclass B(A): pass"),
        ("import b\ndef probabilities(x):\n    return b.f(x)", "import a\ndef f(x):\n    return a.probabilities(x)"),
        ("from a import probabilities", ""),
        ("from main import loss as probabilities", ""),
    ],
)
def test_a_name_that_leads_back_to_itself_is_not_known(tmp_path: Path, one: str, other: str) -> None:
    files = {"main.py": caller("from a import probabilities"), "a.py": one + "\n", "b.py": other + "\n"}
    assert checked(tmp_path, files) == []


# ── what checking does not do ───────────────────────────────────────────────────────────────────────────────────────


def test_nothing_is_imported_or_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = tmp_path / "trace"
    effect = f"open({str(trace)!r}, 'w').write('executed')\n"
    files = {"main.py": caller("from lib.helpers import probabilities"), "lib/helpers.py": effect + SOFTMAX}
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    assert checked(tmp_path, {**files, "lib/__init__.py": effect}) == SEEN
    assert not trace.exists()
    assert not {name for name in set(sys.modules) - before if name.split(".")[0] in ("lib", "main", "torch")}


def test_nothing_outside_of_the_project_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "above" / "project"
    written(tmp_path / "above", {"helpers.py": SOFTMAX, "lib/__init__.py": "", "lib/helpers.py": SOFTMAX})
    imports = "\n".join(
        f"from {module} import probabilities"
        for module in (
            "helpers",
            "..helpers",
            "above.helpers",
            "lib.helpers",
            "os.path",
            "json.decoder",
            "pytest",
            "yaml",
        )
    )
    written(project, {"main.py": caller(imports), "near.py": SOFTMAX})
    text = (project / "main.py").read_text()
    found(project, "main.py")  # what the program loads of itself is loaded
    opened: list[str] = []
    real = builtins.open

    def watched(file: Any, *args: Any, **options: Any) -> Any:
        opened.append(str(file))
        return real(file, *args, **options)

    source = in_project(Source(str(project / "main.py"), text))
    with monkeypatch.context() as patched:
        patched.setattr(builtins, "open", watched)
        diagnose_source(source, nanlint.config_of_keys(".", {}))
    assert [path for path in opened if not Path(path).is_relative_to(project)] == []
    assert [path for path in view_of(source).read if not Path(path).is_relative_to(os.path.realpath(project))] == []


def test_the_view_tells_what_it_has_read_and_missed(tmp_path: Path) -> None:
    files = {"main.py": caller("from lib.a import probabilities\nfrom lib.b import b\nimport lib.c", "b(lib.c.c(x))")}
    written(tmp_path, {**files, "lib/__init__.py": "", "lib/a.py": SOFTMAX, "lib/b.py": "def b(:\n", "lib/d.py": ""})
    path = str(tmp_path / "main.py")
    source = in_project(Source(path, files["main.py"]))
    diagnose_source(source, nanlint.config_of_keys(path, {}))
    view = view_of(source)
    names = {os.path.relpath(one, os.path.realpath(tmp_path)) for one, stamp in view.read.items() if stamp is not None}
    assert "lib/b.py" in names
    assert "lib/d.py" not in names
    assert "lib.b" in view.unresolved


def test_the_order_and_set_of_paths_change_nothing(tmp_path: Path) -> None:
    files = {
        "a.py": caller("from b import probabilities"),
        "b.py": divided("from c import EPS") + "\ndef probabilities(x):\n    return torch.softmax(x, -1)\n",
        "c.py": "from a import loss\nEPS = 0.0\n",
        "d.py": caller("from a import loss\nfrom b import probabilities"),
    }
    written(tmp_path, files)
    alone = [finding for name in files for finding in found(tmp_path, name)]
    assert len({path for path, _, _ in alone}) > 1
    for paths in (["."], [*files], [*files][::-1], ["d.py", "."], ["c.py", "a.py", "d.py", "b.py"]):
        assert sorted(found(tmp_path, *paths)) == sorted(alone)
    assert [finding for name in files for finding in found(tmp_path, name)] == alone


def test_a_change_of_another_file_is_seen_at_once(tmp_path: Path) -> None:
    written(tmp_path, {"main.py": divided("from config import EPS"), "config.py": "EPS = 0.0\n"})
    assert found(tmp_path, "main.py") == [("main.py", 6, "NL303")]
    (tmp_path / "config.py").write_text("EPS = 1e-8\n")
    assert found(tmp_path, "main.py") == []
    (tmp_path / "config.py").unlink()
    assert found(tmp_path, "main.py") == []


def test_a_text_that_is_not_saved_stands_for_the_file(tmp_path: Path) -> None:
    written(tmp_path, {"main.py": divided("from config import EPS"), "config.py": "EPS = 1e-8\n"})
    path = str(tmp_path / "main.py")

    def codes(unsaved: dict[str, str]) -> list[str]:
        source = in_project(Source(path, (tmp_path / "main.py").read_text()), unsaved)
        return [d.code for d in diagnose_source(source, nanlint.config_of_keys(path, {}))]

    config = os.path.realpath(tmp_path / "config.py")
    assert codes({}) == []
    assert codes({config: "EPS = 0.0\n"}) == ["NL303"]
    (tmp_path / "config.py").unlink()
    assert codes({config: "EPS = 0.0\n"}) == ["NL303"]


# ── what another file does to what it, or another, has ──────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("config", "eps"),
    [
        ("C = {'eps': 0.0}\nC['eps'] = 1e-8\n", "C['eps']"),
        ("class C:\n    eps = 0.0\n\nC.eps = 1e-8\n", "C.eps"),
        ("class K:\n    eps = 0.0\n\nC = K()\nC.eps = 1e-8\n", "C.eps"),
    ],
    ids=["item", "attribute of a class", "attribute of an object"],
)
def test_what_is_stored_at_the_top_level_of_another_file_counts(tmp_path: Path, config: str, eps: str) -> None:
    assert checked(tmp_path, {"main.py": divided("from config import C", eps), "config.py": config}) == []


@pytest.mark.parametrize("store", ["config.EPS = 1e-8", "def setup(e):\n    config.EPS = e"])
def test_what_a_file_stores_in_a_module_counts(tmp_path: Path, store: str) -> None:
    files = {"main.py": divided(f"import config\n{store}", "config.EPS"), "config.py": "EPS = 0.0\n"}
    assert checked(tmp_path, files) == []


@pytest.mark.parametrize(
    ("setup", "known"),
    [
        ("import config\n\ndef setup(e):\n    config.EPS = e", False),
        ("import config as c\n\ndef setup(e):\n    print(c.OTHER)\n    c.EPS = e", False),
        ("import config\n\ndef setup(e):\n    config.OTHER = e + config.EPS", True),
        ("import config\n\ndef setup(config):\n    config.EPS = 1e-8", True),
    ],
)
def test_what_functions_of_another_file_store_in_a_module_counts(tmp_path: Path, setup: str, known: bool) -> None:
    files = {"config.py": "EPS = OTHER = 0.0\n", "run.py": f"{setup}\n"}
    main = {"main.py": divided("import config", "config.EPS")}
    assert checked(tmp_path, {**main, **files}) == ([("main.py", 6, "NL303")] if known else [])


@pytest.mark.parametrize("config", ["class Config:\n    eps = 0.0\n", "class C:\n    eps = 0.0\n\nConfig = C()\n"])
def test_what_a_function_stores_in_a_class_or_an_object_counts(tmp_path: Path, config: str) -> None:
    imports = "from config import Config"
    assert checked(tmp_path, {"main.py": divided(imports, "Config.eps"), "config.py": config}) == [
        ("main.py", 6, "NL303")
    ]
    imports += "\n\ndef setup(e):\n    Config.eps = e"
    assert checked(tmp_path, {"main.py": divided(imports, "Config.eps")}) == []


@pytest.mark.parametrize(
    "config", ["E = {}\nEPS = E\nE = {}\n", "E = {}\ndef e():\n    return E\n\nEPS = e()\nE = {}\n"]
)
def test_a_name_is_read_where_it_stands_not_after_it_is_bound_again(tmp_path: Path, config: str) -> None:
    files = {"main.py": divided("from config import EPS"), "config.py": config.format(1e-8, 0.0)}
    assert checked(tmp_path, files) == []
    assert checked(tmp_path, {"config.py": config.format(0.0, 1e-8)}) == [("main.py", 6, "NL303")]


def test_a_function_that_returns_an_infinity_is_followed(tmp_path: Path) -> None:
    main = "import torch\nfrom helpers import nothing\n\ndef loss(x, mask):\n"
    main += "    return torch.softmax(x.masked_fill(mask, nothing()), -1)\n"
    helper = "def nothing():\n    return float('-inf')\n"
    assert checked(tmp_path, {"main.py": main, "helpers.py": helper}) == [("main.py", 5, "NL404")]


# ── findings here, whose other half is there ────────────────────────────────────────────────────────────────────────

#: files -> what is found in them where they are one
HALVES = {
    "functions of a framework under other names": (
        "import torch\nfrom helpers import ln, squash\n\ndef loss(x):\n    return ln(squash(x))\n",
        "import torch\n\nln = torch.log\nsquash = torch.sigmoid\n",
        ("main.py", 5, "NL102"),
    ),
    "a layer and its loss": (
        "import torch\nfrom helpers import Net, criterion\n\ndef loss(x):\n    return criterion(Net()(x), 1 - x)\n",
        "import torch\nfrom torch import nn\n\ncriterion = nn.BCELoss()\n\nclass Net(nn.Module):\n"
        "    def forward(self, x):\n        return torch.sigmoid(x)\n",
        ("main.py", 5, "NL702"),
    ),
    "the root under a where": (
        "import torch\nfrom helpers import root\n\ndef loss(x):\n"
        "    return torch.where(x > 0, root(x), torch.zeros_like(x))\n",
        "import torch\n\ndef root(x):\n    return x.sqrt()\n",
        ("main.py", 5, "NL203"),
    ),
    "the summands of a logarithm of a sum": (
        "import torch\nfrom helpers import high, rest\n\ndef loss(x, y):\n    return high(x, y) + rest(x, y)\n",
        "import torch\n\ndef high(x, y):\n    return torch.maximum(x, y)\n\ndef rest(x, y):\n"
        "    return torch.log1p(torch.exp(-torch.abs(x - y)))\n",
        ("main.py", 5, "NL408"),
    ),
    "the root of a variance": (
        "import torch\nfrom helpers import root\n\ndef loss(x):\n"
        "    return root((x * x).mean() - x.mean() * x.mean())\n",
        "import torch\n\ndef root(x):\n    return torch.rsqrt(x + 1e-3)\n",
        ("main.py", 5, "NL503"),
    ),
    "what a tape does not see": (
        "import tensorflow as tf\nfrom helpers import penalty, weight\n\ndef step():\n    early = penalty()\n"
        "    with tf.GradientTape() as tape:\n        loss = early + 1.0\n    return tape.gradient(loss, weight)\n",
        "import tensorflow as tf\n\nweight = tf.Variable(3.0)\n\ndef penalty():\n    return 0.5 * tf.square(weight)\n",
        ("main.py", 5, "NL601"),
    ),
    "a NaN of a module": (
        "import numpy as np\nimport helpers\n\ndef loss(x):\n    return np.where(x == helpers.MISSING, 0.0, x)\n",
        "MISSING = float('nan')\n",
        ("main.py", 5, "NL505"),
    ),
}


#: of these, those whose operation that would be asked about is in the other file
UNSEEN = HALVES.keys() - {"functions of a framework under other names", "a layer and its loss"}


@pytest.mark.parametrize(
    "what",
    [pytest.param(what, marks=[pytest.mark.xfail(reason="not seen yet")] if what in UNSEEN else []) for what in HALVES],
)
def test_a_finding_here_is_there_where_its_other_half_is_in_another_file(tmp_path: Path, what: str) -> None:
    main, helper, expected = HALVES[what]
    assert checked(tmp_path, {"main.py": main, "helpers.py": helper}) == [expected]


def test_a_package_of_many_modules_is_read_until_one_of_them_uses_a_framework(tmp_path: Path) -> None:
    names = [f"part{i:03}" for i in range(300)]
    init = "".join(f"from .{name} import *\n" for name in names)
    written(tmp_path, {"package/__init__.py": init, **{f"package/{name}.py": "import math\n" for name in names}})
    view = View.of(str(tmp_path / "package" / "__init__.py"))
    assert set(view.packages_behind(ast.parse(init))) == {(1, frozenset({"math"}))}
    assert len(view.read) < len(names)
    written(tmp_path, {f"package/{names[0]}.py": "import torch\n"})
    view = View.of(str(tmp_path / "package" / "__init__.py"))
    assert next(view.packages_behind(ast.parse(init))) == (1, frozenset({"torch"}))
    assert len(view.read) < 10


def test_a_link_to_itself_is_no_file_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "main.py").write_text("import torch\n\ndef f(x):\n    return torch.log(torch.softmax(x, -1))\n")
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "linked.py").symlink_to(tmp_path / "folder.py")
    report = run_task(Task(str(tmp_path / "main.py"), nanlint.config_of_keys("main.py", {})))
    assert [one.code for one in report.diagnostics] == ["NL101"]
