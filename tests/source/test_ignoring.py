"""Comments that silence findings are put where they are heard, and say no more than they must."""

from __future__ import annotations

import pytest

from nanlint.config import Configs
from nanlint.diagnostic import Diagnostic
from nanlint.lint.known_rules import rule_names
from nanlint.lint.one_file import diagnose_source
from nanlint.source import Source
from nanlint.source.edits import apply_edits
from nanlint.source.ignoring import ignore_file, ignore_lines

CONFIG = Configs(rule_names(), isolated=True).default()


def found(text: str) -> list[Diagnostic]:
    return [one for one in diagnose_source(Source("loss.py", text), CONFIG) if one.code != "NL001"]


def silenced(text: str, reason: str = "") -> str:
    source = Source("loss.py", text)
    return apply_edits(source, ignore_lines(source, found(text), rule_names(), reason))


PLACES = {
    "at the end of the line": (
        "import torch\ny = torch.log(torch.softmax(x, -1))\n",
        "import torch\ny = torch.log(torch.softmax(x, -1))  # nanlint: ignore[NL101]\n",
    ),
    "after another comment": (
        "import torch\ny = torch.log(torch.softmax(x, -1))  # type: ignore\n",
        "import torch\ny = torch.log(torch.softmax(x, -1))  # type: ignore  # nanlint: ignore[NL101]\n",
    ),
    "on the first line of a long call": (
        "import torch\ny = torch.log(\n    torch.softmax(x, -1)\n)\n",
        "import torch\ny = torch.log(  # nanlint: ignore[NL101]\n    torch.softmax(x, -1)\n)\n",
    ),
    "after a string that goes over lines": (
        "import torch\ny = f(torch.log(torch.softmax(x, -1)), '''a\nb''')\n",
        "import torch\ny = f(torch.log(torch.softmax(x, -1)), '''a\nb''')  # nanlint: ignore[NL101]\n",
    ),
    "where a backslash goes on": (
        "import torch\ny = torch.log(torch.softmax(x, -1)) \\\n    + 1\n",
        "import torch\ny = torch.log(torch.softmax(x, -1)) \\\n    + 1  # nanlint: ignore[NL101]\n",
    ),
    "in the comment that is there": (
        "import torch\ny = torch.log(torch.softmax(x, -1))  # nanlint: ignore[NL203] a reason\n",
        "import torch\ny = torch.log(torch.softmax(x, -1))  # nanlint: ignore[NL203, NL101] a reason\n",
    ),
    "in the comment above": (
        "import torch\n# nanlint: ignore[NL203] a reason\ny = torch.log(torch.softmax(x, -1))\n",
        "import torch\n# nanlint: ignore[NL203, NL101] a reason\ny = torch.log(torch.softmax(x, -1))\n",
    ),
    "in the noqa that names a rule": (
        "import torch\ny = torch.log(torch.softmax(x, -1))  # noqa: E501, NL203\n",
        "import torch\ny = torch.log(torch.softmax(x, -1))  # noqa: E501, NL203, NL101\n",
    ),
    "after the noqa of another linter": (
        "import torch\ny = torch.log(torch.softmax(x, -1))  # noqa: E501\n",
        "import torch\ny = torch.log(torch.softmax(x, -1))  # noqa: E501  # nanlint: ignore[NL101]\n",
    ),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_comment_stands_where_it_silences(place: str) -> None:
    before, after = PLACES[place]
    assert found(before)
    assert silenced(before) == after
    assert not found(after)


def test_a_reason_is_kept_with_the_comment() -> None:
    text = silenced("import torch\ny = torch.log(torch.softmax(x, -1))\n", "checked by hand")
    assert text.endswith("# nanlint: ignore[NL101] checked by hand\n")
    assert not found(text)


def test_two_findings_of_a_line_share_a_comment() -> None:
    text = "import torch\ny = torch.log(torch.softmax(x, -1)) + torch.log(torch.sigmoid(x))\n"
    assert silenced(text).endswith("# nanlint: ignore[NL101, NL102]\n")


def test_a_file_is_silenced_below_its_shebang() -> None:
    source = Source("loss.py", "#!/usr/bin/env python\nimport torch\ny = torch.log(torch.softmax(x, -1))\n")
    text = apply_edits(source, [ignore_file(source, ["NL101"], rule_names())])
    assert text.startswith("#!/usr/bin/env python\n# nanlint: file-ignore[NL101]\nimport torch\n")
    assert not found(text)


def test_a_file_that_silences_one_rule_silences_another_in_the_same_comment() -> None:
    source = Source("loss.py", "# nanlint: file-ignore[NL203]\nimport torch\ny = torch.log(torch.softmax(x, -1))\n")
    text = apply_edits(source, [ignore_file(source, ["NL101"], rule_names())])
    assert text.startswith("# nanlint: file-ignore[NL203, NL101]\n")
    assert not found(text)


def test_a_comment_that_has_no_reason_yet_takes_it() -> None:
    text = silenced(
        "import torch\ny = torch.log(torch.softmax(x, -1))  # nanlint: ignore[NL203]  # noqa: E501\n", "why"
    )
    assert text.endswith("# nanlint: ignore[NL203, NL101] why  # noqa: E501\n")
    assert not found(text)


def test_where_the_last_line_of_a_statement_speaks_for_another_finding_the_comment_stands_above() -> None:
    text = "import torch\ny = torch.log(torch.softmax(x, -1)) \\\n    + torch.log(torch.sigmoid(x))\n"
    assert silenced(text) == (
        "import torch\n# nanlint: ignore[NL101]\n"
        "y = torch.log(torch.softmax(x, -1)) \\\n    + torch.log(torch.sigmoid(x))  # nanlint: ignore[NL102]\n"
    )
    assert not found(silenced(text))


def test_white_space_at_the_end_of_the_line_goes() -> None:
    assert silenced("import torch\ny = torch.log(torch.softmax(x, -1)) \t\n").endswith(")  # nanlint: ignore[NL101]\n")
