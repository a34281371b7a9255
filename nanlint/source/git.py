"""What git says of the files of a repository. It is asked through its command, and never changes anything."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator


class GitError(Exception):
    """What was asked of git has no answer. The message says why and what to do."""


def top_level(directory: str) -> str:
    """The real path of the repository that ``directory`` is in. Raises GitError."""
    ended = _git(directory, "rev-parse", "--show-toplevel")
    if ended.returncode:
        said = _last_words(ended)
        if "not a git repository" in said:
            said = f"{directory} is in no git repository"
        raise GitError(said)
    return os.path.realpath(os.fsdecode(ended.stdout).rstrip("\n"))


def changed_files(top: str, revision: str) -> frozenset[str]:
    """Real paths of the files below ``top`` that are not as they were at ``revision``: edited, new, untracked, gone.

    Where the branch and ``revision`` have gone different ways, it is the commit at which they parted that counts, so
    that what others have done since is no change. Raises GitError.
    """
    commit = _git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if commit.returncode:
        raise GitError(f'git knows no revision "{revision}" here; in a shallow clone it must be fetched first')
    since = os.fsdecode(commit.stdout).strip()
    parted = _git(top, "merge-base", since, "HEAD")
    if not parted.returncode:
        since = os.fsdecode(parted.stdout).strip()
    names = (
        *_names(top, "diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-relative", since, "--"),
        *_names(top, "ls-files", "--others", "--exclude-standard", "-z"),
    )
    return frozenset(os.path.realpath(os.path.join(top, name)) for name in names)


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
        raise GitError("git is needed for this and was not found; install it") from None


def _last_words(ended: subprocess.CompletedProcess[bytes]) -> str:
    lines = ended.stderr.decode("utf-8", "replace").strip().splitlines() or ["no answer"]
    return f"git: {lines[0].removeprefix('fatal: ')}"
