"""Runs several programs, each with its arguments, in one process: a framework's start costs more than they do."""

import runpy
import shlex
import sys
import traceback

for command in sys.argv[1:]:
    sys.argv = shlex.split(command)
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except Exception:
        traceback.print_exc()
