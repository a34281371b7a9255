"""How descendants of a watched program come to be watched."""

from __future__ import annotations

import sys


def start() -> None:
    """Watch this process as the run says, unless it is the one that `nanlint verify` itself starts."""
    from nanlint.runtime.options import options_of_environment

    options = options_of_environment()
    if options is None or "nanlint.runtime.program" in sys.orig_argv[:6]:
        return
    from nanlint.runtime.program import watch

    watch(options)
