"""A project that tries to get markup into a report: by names of files, code, comments and messages."""

from __future__ import annotations

from nanlint.diagnostic import Annotation, Applicability, Confidence, Diagnostic, Edit, Excerpt, Fix, Span, Witness
from nanlint.lint.report import FileReport, Report
from nanlint.output.view import View

#: each would do harm, or look like something else, where it is not escaped
HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "\"' onmouseover='alert(1)",
    "&lt;b&gt; &amp; &#64;",
    "[click](javascript:alert(1)) ![x](https://example.org/x.png)",
    "**bold** __init__ *it* ~~no~~ $x$ :smile: |a|b|",
    "# title",
    "- item",
    "1. item",
    "> quote",
    "https://example.org www.example.org user@example.org @someone #12 !7 GH-1",
    "```\n</details>\n## title",
    "` `` ``` ````",
    "{{TITLE}} {{SCRIPT}} \\1 \\",
    "\x1b[31mred\x07 \u202egnp.py \x00",
    "\t tabs\tand  spaces ",
)


def hostile_view(text: str) -> View:
    """A report of one finding in which everything that can be named by a project is ``text``."""
    line = text.replace("\n", " ")
    name = "torch_" + line.replace("/", "\u2215")[:100]
    path = f"dir {name}/{name}.py"
    row = f"y = log({line})"
    finding = Diagnostic(
        path,
        Span(3, 5, 3, len(row) + 1),
        "NL103",
        "unclipped-log",
        f"message {text}",
        Confidence.LIKELY,
        effect=f"effect {text}",
        causes=(
            Annotation(Span(1, 1, 1, 3), f"cause {text}"),
            Annotation(Span(1, 1, 1, 3), f"elsewhere {text}", f"other {name}.py", ((1, row),)),
        ),
        witness=Witness((("x", (0.0,)),), ("y", (0.0,)), f"witness {text}"),
        fix=Fix(
            Applicability.UNSAFE,
            f"replace with `{line}`: {text}",
            (Edit(Span(3, 5, 3, 8), f"log2({line})"),),
            display=line,
        ),
        observed=f"observed {text}",
        fingerprint="0123",
    )
    excerpt: Excerpt = {(None, 1): row + "\n", (None, 3): row + "\n"}
    file = FileReport(path, (finding,), excerpt=excerpt)
    failed = FileReport(f"{name}.py", failure=f"{name}.py: {text}", checked=False)
    return View(Report((file, failed)), root="/project")
