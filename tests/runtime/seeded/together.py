"""Runs several programs in one process, one after the other: a framework's start costs more than they do."""

import runpy
import sys
import traceback

for path in sys.argv[1:]:
    try:
        runpy.run_path(path, run_name="__main__")
    except Exception:
        print(path, file=sys.stderr)
        traceback.print_exc()
