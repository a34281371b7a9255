"""``python -m tests.cases [NAME...]`` says what is found otherwise than cases say; ``--write`` has them say it."""

from __future__ import annotations

import sys

from tests.cases import FILES, TITLE, cases, difference, found_now

names = {argument for argument in sys.argv[1:] if argument != "--write"}
if unknown := names - {path.stem for path in FILES}:
    sys.exit(f"tests/cases has no {', '.join(f'{name}.txt' for name in sorted(unknown))}")
for path in FILES:
    if names and path.stem not in names:
        continue
    text = path.read_text("utf-8")
    rows = [(title, old, found_now(old)) for title, old in cases(text)]
    changed = [row for row in rows if row[1] != row[2]]
    for row in changed:
        print(difference(*row))
    print(f"{path.name}: {len(changed)} of {len(rows)} cases differ")
    if "--write" in sys.argv and changed:
        preface = text[: next(TITLE.finditer(text)).start()]
        path.write_text(preface + "".join(f"## {title}\n{new}" for title, _, new in rows), encoding="utf-8")
