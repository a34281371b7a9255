"""The picture of a run in a terminal, as SVG: what a command printed in colour, drawn by rich.

It has its own dark background, so it is readable on light and dark pages, and it loads nothing: the text is set in the
reader's monospace font.
"""

from __future__ import annotations

from html import escape
from io import StringIO

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

COLUMNS = 108
#: on this background each colour has a contrast of 4.5 or more, which WCAG asks of text
BACKGROUND = (13, 17, 23)
_THEME = TerminalTheme(
    BACKGROUND,
    (230, 237, 243),
    [
        (72, 79, 88),
        (255, 123, 114),
        (63, 185, 80),
        (210, 153, 34),
        (121, 192, 255),
        (188, 140, 255),
        (57, 197, 207),
        (230, 237, 243),
    ],
)
_FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img">
<title>%s</title>
<style>
.{unique_id}-matrix {{
    font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
    font-size: {char_height}px; line-height: {line_height}px;
}}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def drawn(command: str, printed: str) -> str:
    """The picture of a terminal in which ``command`` was typed and ``printed``, in ANSI's colours, came out."""
    text = Text.assemble(("$ ", "bold cyan"), (command, "bold"), "\n", Text.from_ansi(printed.rstrip("\n")), "\n")
    console = Console(
        record=True, width=COLUMNS, file=StringIO(), force_terminal=True, color_system="truecolor", legacy_windows=False
    )
    console.print(text, highlight=False, soft_wrap=False)
    title = escape(f"The output of {command}")
    picture = console.export_svg(title="nanlint", theme=_THEME, code_format=_FORMAT % title, unique_id="run")
    return "\n".join(line.rstrip() for line in picture.splitlines()) + "\n"
