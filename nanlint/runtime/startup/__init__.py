"""How descendants of a watched program come to be watched."""

from __future__ import annotations

import os
import sys

#: what runs a script probed
PROGRAM = "nanlint.runtime.program"


def start() -> None:
    """Watch this process as the run says, unless it is the one that `nanlint verify` itself starts.

    A script is no module, so no import hook sees it: the process begins again, as the one that runs it probed.
    """
    from nanlint.runtime.options import options_of_environment

    options = options_of_environment()
    if options is None or ("-m", PROGRAM) in zip(sys.orig_argv, sys.orig_argv[1:], strict=False):
        return
    script = len(sys.orig_argv) - len(sys.argv)
    if os.name == "posix" and os.path.exists(sys.argv[0]) and sys.orig_argv[script:] == sys.argv:
        os.execv(sys.executable, [*sys.orig_argv[:script], "-m", PROGRAM, *sys.argv])
    from nanlint.runtime.program import watch

    watch(options)
