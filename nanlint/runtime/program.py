"""``python -m nanlint.runtime.program train.py args…``: runs a program as Python would, watched.

The environment variable of ``options`` says how. Descendants of the program that are Python get the same watch through
``startup/sitecustomize.py``.
"""

from __future__ import annotations
import __future__

import ast
import atexit
import builtins
import functools
import importlib.machinery
import operator
import os
import runpy
import sys
import tokenize
from collections.abc import Sequence
from multiprocessing import util
from types import CodeType, ModuleType, TracebackType
from typing import Any, NoReturn

from nanlint.runtime import probing
from nanlint.runtime.hooks import Guard
from nanlint.runtime.importing import Hook, probed_code
from nanlint.runtime.options import Options, options_of_environment
from nanlint.runtime.recorder import Recorder
from nanlint.runtime.results import TEXTS

#: files of the watch
OURS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")

#: files whose compiling is seen to elsewhere
_IMPORTS = ("<frozen importlib", OURS)
#: what compiled code takes over from the code that compiles it
_FUTURES = functools.reduce(
    operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)

_active: Recorder | None = None


def active() -> Recorder | None:
    """The watch that this process is under from beginning to end, if it is."""
    return _active


def watch(options: Options) -> Recorder:
    """Watch this process from now on, and its forks."""
    global _active
    recorder = _active = Recorder(options, rank_of_environment())
    if options.on_nan == "debug":
        from nanlint.runtime.inspecting.terminal.live import Stops

        recorder.stop_at = Stops(options.directory).at
    probing.install(recorder)
    Hook(recorder).install()
    _probe_compiled(recorder)
    recorder.results.start()
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
    import zipfile

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
        TEXTS["<string>"] = rest[0]
        code = probed_code(rest[0].encode("utf-8", "surrogateescape"), "<string>", recorder)
        _run_code(code or compile(rest[0], "<string>", "exec", dont_inherit=True), _main_module())
        return
    sys.argv = [first, *rest]
    if os.path.isdir(first) or (not first.endswith((".py", ".pyw")) and zipfile.is_zipfile(first)):
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


def _probe_compiled(recorder: Recorder) -> None:
    """What others compile to run it is probed, too, where it is a file of the user's.

    So do ``runpy``, with which ``multiprocessing`` runs the main script in what it spawns, coverage, and debuggers.
    """
    original = builtins.compile

    @functools.wraps(original)
    def compiling(
        source: Any, filename: Any, mode: str, flags: int = 0, dont_inherit: bool = False, *args: Any, **kwargs: Any
    ) -> Any:
        caller = sys._getframe(1).f_code
        if not dont_inherit:
            flags |= caller.co_flags & _FUTURES
        if mode == "exec" and not flags & ast.PyCF_ONLY_AST and not caller.co_filename.startswith(_IMPORTS):
            code: CodeType | None = None
            with Guard(recorder, f"the findings of {filename}"):
                code = _probed_file(source, filename, recorder)
            if code is not None:
                return code
        return original(source, filename, mode, flags, True, *args, **kwargs)

    builtins.compile = compiling


def _probed_file(source: object, filename: object, recorder: Recorder) -> CodeType | None:
    """The code of a file of the user's whose content is given; None for anything else."""
    if not isinstance(source, (str, bytes)) or not isinstance(filename, str) or not os.path.isfile(filename):
        return None
    if not recorder.users.owns(filename):
        return None
    try:
        with open(filename, "rb") as file:
            content = file.read()
        with tokenize.open(filename) as text:
            same = source == content or source == text.read()
    except (OSError, SyntaxError, UnicodeDecodeError):
        return None
    return probed_code(content, filename, recorder) if same else None


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
    # those who import this module by its name ask it for the watch that begins here
    sys.modules["nanlint.runtime.program"] = sys.modules[__name__]
    main()
