"""``python -m nanlint.runtime.program train.py args…``: runs a program as Python would, watched.

The environment variable of ``options`` says how. Descendants of the program that are Python get the same watch through
``startup/sitecustomize.py``.
"""

from __future__ import annotations

import atexit
import builtins
import importlib.machinery
import os
import runpy
import sys
from collections.abc import Sequence
from multiprocessing import util
from types import CodeType, ModuleType, TracebackType
from typing import NoReturn

from nanlint.runtime import probing
from nanlint.runtime.importing import Hook, probed_code
from nanlint.runtime.options import Options, options_of_environment
from nanlint.runtime.recorder import Recorder

#: where the module lies that Python imports at its start in descendants
STARTUP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "startup")

#: files of the watch
OURS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")


_active: Recorder | None = None


def active() -> Recorder | None:
    """The watch that this process is under from beginning to end, if it is."""
    return _active


def watch(options: Options) -> Recorder:
    """Watch this process from now on, and its forks."""
    global _active
    recorder = _active = Recorder(options, rank_of_environment())
    probing.install(recorder)
    Hook(recorder).install()
    _probe_main_of_spawned(recorder)
    atexit.register(recorder.end)
    util.register_after_fork(recorder, _end_with_child)
    return recorder


def _end_with_child(recorder: Recorder) -> None:
    """A process that ``multiprocessing`` forked runs its own finalizers at its end, and no others."""
    util.Finalize(None, recorder.end, exitpriority=0)


def rank_of_environment() -> int:
    """The rank of this process among those of one job, as launchers say it."""
    for variable in ("RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "PMI_RANK"):
        value = os.environ.get(variable, "")
        if value.isdigit():
            return int(value)
    return 0


def run(command: Sequence[str], recorder: Recorder) -> None:
    """Run ``script args…``, ``-m module args…`` or ``-c code args…`` as ``__main__``."""
    first, *rest = command
    if first == "-m":
        sys.argv = ["-m", *rest[1:]]
        _search_first(os.getcwd())
        _main_module()
        runpy._run_module_as_main(rest[0])  # type: ignore[attr-defined]  # what Python does with one
        return
    if first == "-c":
        sys.argv = ["-c", *rest[1:]]
        _search_first("")
        code = probed_code(rest[0].encode("utf-8", "surrogateescape"), "<string>", recorder)
        _run_code(code or compile(rest[0], "<string>", "exec", dont_inherit=True), _main_module())
        return
    sys.argv = [first, *rest]
    if os.path.isdir(first) or (not first.endswith((".py", ".pyw")) and _is_archive(first)):
        sys.path.insert(0, os.path.abspath(first))
        _main_module()
        runpy._run_module_as_main("__main__", False)  # type: ignore[attr-defined]  # what Python does with one
        return
    script = os.path.abspath(first)
    _search_first(os.path.dirname(os.path.realpath(script)))
    main = _main_module()
    vars(main).update(
        __file__=script, __cached__=None, __loader__=importlib.machinery.SourceFileLoader("__main__", script)
    )
    _run_code(code_of_script(script, recorder), main)


def _search_first(directory: str) -> None:
    """Let imports look where the program is, unless the user has Python not do so (``-P``)."""
    if not getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, directory)


def code_of_script(path: str, recorder: Recorder) -> CodeType:
    """The code of a script, probed. Raises OSError, and SyntaxError as Python would."""
    with open(path, "rb") as file:
        content = file.read()
    code = probed_code(content, path, recorder) if recorder.users.owns(path) else None
    return code or compile(content, path, "exec", dont_inherit=True)


def _main_module() -> ModuleType:
    main = ModuleType("__main__")
    vars(main).update(__builtins__=builtins, __annotations__={})
    sys.modules["__main__"] = main
    return main


def _run_code(code: CodeType, main: ModuleType) -> None:
    exec(code, main.__dict__)


def _is_archive(path: str) -> bool:
    import zipimport

    try:
        zipimport.zipimporter(path)
    except zipimport.ZipImportError:
        return False
    return True


def _probe_main_of_spawned(recorder: Recorder) -> None:
    """Children that ``multiprocessing`` spawns run the main script again through runpy: that is probed, too."""
    original = runpy._get_code_from_file  # type: ignore[attr-defined]

    def probed(*args: str) -> object:
        path = os.path.abspath(os.fsdecode(args[-1]))
        found = original(*args)
        if not recorder.users.owns(path):
            return found
        try:
            with open(path, "rb") as file:
                code = probed_code(file.read(), path, recorder)
        except OSError:
            return found
        if code is None:
            return found
        return (code, *found[1:]) if isinstance(found, tuple) else code

    runpy._get_code_from_file = probed  # type: ignore[attr-defined]


def _without_ours(traceback: TracebackType | None) -> TracebackType | None:
    """A traceback from the program's own first frame on, and up to where nanlint stopped it."""
    own = (os.path.abspath(__file__), runpy.__file__, "<frozen runpy>")
    while traceback is not None and traceback.tb_frame.f_code.co_filename in own:
        traceback = traceback.tb_next
    last = traceback
    while last is not None and last.tb_next is not None:
        if last.tb_next.tb_frame.f_code.co_filename.startswith(OURS):
            last.tb_next = None
        last = last.tb_next
    return traceback


def _told(*_: object) -> None:
    """The program's exception has been told already."""


def main() -> NoReturn:
    """Run the command line's program; exits as it does."""
    command = sys.argv[1:]
    options = options_of_environment()
    if options is None or not command:
        sys.exit("error: nanlint.runtime.program is started by `nanlint verify`")
    if not getattr(sys.flags, "safe_path", False):
        del sys.path[0]  # put there for -m
    recorder = watch(options)
    try:
        run(command, recorder)
    except SystemExit:
        raise
    except BaseException as error:
        recorder.failed(error)
        traceback = _without_ours(error.__traceback__)
        sys.excepthook(type(error), error.with_traceback(traceback), traceback)
        sys.excepthook = _told
        raise
    sys.exit(0)


if __name__ == "__main__":
    main()
