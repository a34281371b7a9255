"""What git says of the files of a repository. It is asked through its command, and never changes anything."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

from nanlint.refused import Refused


class GitError(Refused):
    """What was asked of git has no answer. The message says why and what to do."""

    def __str__(self) -> str:
        return f"--changed-since: {super().__str__()}"


def top_level(directory: str) -> str:
    """The real path of the repository that ``directory`` is in. Raises GitError."""
    ended = _git(directory, "rev-parse", "--show-toplevel")
    if ended.returncode:
        said = _last_words(ended)
        if "not a git repository" in said:
            said = f"{directory} is not in a git repository"
        raise GitError(said)
    return os.path.realpath(os.fsdecode(ended.stdout).rstrip("\n"))


def changed_files(top: str, revision: str) -> frozenset[str]:
    """Real paths of the files below ``top`` that are not as they were at ``revision``: edited, new, untracked, gone.

    As with ``git diff REV...HEAD``, the commit that counts is the merge base of ``revision`` and HEAD, so that what
    others have done since is no change; what is not committed counts too. Files of submodules are compared with the
    commit that is recorded there. Raises GitError.
    """
    return frozenset(_changed_since(top, merge_base(top, revision)))


def merge_base(top: str, revision: str) -> str:
    """The commit at which the branch has left ``revision``. Raises GitError."""
    commit = _git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if commit.returncode:
        hint = f"; {_FETCH}" if _is_shallow(top) else ""
        raise GitError(f'git does not know the revision "{revision}"{hint}')
    base = _git(top, "merge-base", os.fsdecode(commit.stdout).strip(), "HEAD")
    if base.returncode:
        why = f"in this shallow clone; {_FETCH}" if _is_shallow(top) else "in this repository"
        raise GitError(f'"{revision}" and HEAD have no common commit {why}')
    return os.fsdecode(base.stdout).strip()


def contents_at(top: str, commit: str) -> Iterator[tuple[str, bytes | None]]:
    """Of each file that is not as it was at a commit: its real path, and what it held then, None where it is new.

    A file that was renamed held what the one with the old name did. Files that are gone and submodules are left out.
    """
    options = ("diff", "--name-status", "-z", "--find-renames", "--no-ext-diff", "--no-relative", commit, "--")
    fields = _names(top, *options)
    for status in fields:
        name = old = next(fields)
        if status[0] in "RC":
            name = next(fields)
        if status[0] in "AMRCT":
            path = os.path.realpath(os.path.join(top, name))
            blob = _git(top, "cat-file", "blob", f"{commit}:{old}")
            if os.path.isfile(path):
                yield path, None if status[0] == "A" or blob.returncode else blob.stdout
    for name in _names(top, "ls-files", "--others", "--exclude-standard", "-z"):
        yield os.path.realpath(os.path.join(top, name)), None


_FETCH = "fetch its history: `git fetch --unshallow`, or `fetch-depth: 0` for actions/checkout"
_DIFF = ("diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-relative", "--ignore-submodules=none")


def _changed_since(top: str, commit: str) -> Iterator[str]:
    """Real paths of what is not as it was at a commit."""
    for name in _names(top, *_DIFF, commit, "--"):
        path = os.path.realpath(os.path.join(top, name))
        yield path
        if os.path.exists(os.path.join(path, ".git")):
            yield from _changed_in_submodule(path, _recorded(top, commit, name))
    for name in _names(top, "ls-files", "--others", "--exclude-standard", "-z"):
        yield os.path.realpath(os.path.join(top, name))


def _changed_in_submodule(top: str, commit: str | None) -> Iterator[str]:
    """Real paths of what has changed in a submodule: everything, where it is new or lacks the commit it was at."""
    known = commit is not None and not _git(top, "cat-file", "-e", f"{commit}^{{commit}}").returncode
    if commit is not None and known:
        yield from _changed_since(top, commit)
    else:
        names = _names(top, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
        yield from (os.path.realpath(os.path.join(top, name)) for name in names)


def _recorded(top: str, commit: str, name: str) -> str | None:
    entry = os.fsdecode(_git(top, "ls-tree", "-z", "--full-tree", commit, "--", name).stdout)
    return entry.split()[2] if entry.startswith("160000 commit ") else None


def _is_shallow(top: str) -> bool:
    return _git(top, "rev-parse", "--is-shallow-repository").stdout.strip() == b"true"


def _names(top: str, *arguments: str) -> Iterator[str]:
    ended = _git(top, *arguments)
    if ended.returncode:
        raise GitError(_last_words(ended))
    return (os.fsdecode(name) for name in ended.stdout.split(b"\0") if name)


def _git(directory: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            # no command that the configuration of a repository names
            ["git", "-c", "core.fsmonitor=false", *arguments],
            cwd=directory,
            # Messages are told apart by their words.
            env={**os.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"},
            capture_output=True,
            check=False,
        )
    except OSError:
        raise GitError("git was not found, but is needed for this; install it") from None


def _last_words(ended: subprocess.CompletedProcess[bytes]) -> str:
    lines = ended.stderr.decode("utf-8", "replace").strip().splitlines() or ["no answer"]
    return f"git: {lines[0].removeprefix('fatal: ')}"
