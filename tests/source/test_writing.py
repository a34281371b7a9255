"""Writing: all or nothing, and as the file was."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from nanlint.config import Configs
from nanlint.source import SourceError
from nanlint.source.discovery import discover
from nanlint.source.writing import write_atomically, write_together, write_whole


def test_content_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    write_atomically(str(path), b"old", b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_mode_bits_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    path.chmod(0o754)
    write_atomically(str(path), b"old", b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o754


def test_a_link_stays_a_link_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "real.py").write_bytes(b"old")
    link = tmp_path / "link.py"
    link.symlink_to("real.py")
    write_atomically(str(link), b"old", b"new")
    assert link.is_symlink()
    assert (tmp_path / "real.py").read_bytes() == b"new"


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"edited by someone")
    with pytest.raises(SourceError, match=r"a\.py: changed while it was checked"):
        write_atomically(str(path), b"old", b"new")
    assert path.read_bytes() == b"edited by someone"
    assert list(tmp_path.iterdir()) == [path]


def test_a_read_only_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(SourceError, match=r"a\.py: is read-only"):
        write_atomically(str(path), b"old", b"new")
    assert path.read_bytes() == b"old"


def test_a_file_that_vanished_is_not_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    with pytest.raises(SourceError, match="vanished"):
        write_atomically(str(path), b"old", b"new")
    assert not path.exists()


def test_a_failed_move_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(SourceError, match="could not be written: no space left on device"):
        write_atomically(str(path), b"old", b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_report_that_cannot_be_put_in_its_place_leaves_the_old_one_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(b"old")

    def full(source: str, target: str) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="no space left"):
        write_whole(str(path), b"new")
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (b"old", [path])


def test_a_report_is_written_to_the_target_of_a_link(tmp_path: Path) -> None:
    link = tmp_path / "latest.json"
    link.symlink_to("report.json")
    write_whole(str(link), b"new")
    assert link.is_symlink()
    assert (tmp_path / "report.json").read_bytes() == b"new"


@pytest.mark.parametrize("broken", ["changed", "read-only", "not to be replaced"])
def test_of_several_files_all_are_written_or_none(broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [tmp_path / "a.py", tmp_path / "b.py"]
    changes = [(str(path), b"old", b"new") for path in paths]
    for path in paths:
        path.write_bytes(b"old")
    if broken == "changed":
        paths[1].write_bytes(b"changed")
    elif broken == "read-only":
        paths[1].chmod(0o444)
    before, really = [path.read_bytes() for path in paths], os.replace

    def replacing(source: str, target: str) -> None:
        if target == str(paths[1]):
            raise OSError(5, "Input/output error")
        really(source, target)

    with monkeypatch.context() as patched:
        if broken == "not to be replaced":
            patched.setattr(os, "replace", replacing)
        with pytest.raises(SourceError, match=r"b\.py"):
            write_together(changes)
    assert [path.read_bytes() for path in paths] == before
    assert sorted(tmp_path.iterdir()) == paths
    if broken == "not to be replaced":
        write_together(changes)
        assert [path.read_bytes() for path in paths] == [b"new", b"new"]


def test_what_a_killed_run_has_left_is_removed_by_the_next(tmp_path: Path) -> None:
    dead = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    here = f"{zlib.crc32(socket.gethostname().encode()):x}"
    left = tmp_path / f".nanlint-{here}-{int(dead.stdout)}-0123abcd.tmp"
    elsewhere = tmp_path / f".nanlint-0-{int(dead.stdout)}-0123abcd.tmp"
    waiting = tmp_path / f".nanlint-{here}-{os.getpid()}-0123abcd.tmp"
    others = tmp_path / ".nanlint-notes.tmp"
    path = tmp_path / "a.py"
    for one in (left, elsewhere, waiting, others, path):
        one.write_bytes(b"old")
    write_atomically(str(path), b"old", b"new")
    assert set(tmp_path.iterdir()) == {elsewhere, waiting, others, path}, "another run may still need its own"
    os.utime(waiting, (0, 0))
    os.utime(elsewhere, (0, 0))
    discover([str(tmp_path)], Configs({}))
    assert set(tmp_path.iterdir()) == {others, path}
