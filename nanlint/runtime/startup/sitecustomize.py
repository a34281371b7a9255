"""Imported by Python at its start in descendants of a watched program, because its directory is on PYTHONPATH.

Takes itself out of the way, starts the watch (not in an interpreter that has no nanlint), and lets a
``sitecustomize`` of the user's run as it would have.
"""

import importlib.util
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [_path for _path in sys.path if os.path.abspath(_path or ".") != _here]
try:
    from nanlint.runtime.startup import start
except ImportError:
    pass
else:
    start()

_ours = sys.modules.pop("sitecustomize", None)
_theirs = importlib.util.find_spec("sitecustomize")
if _theirs is not None and _theirs.loader is not None:
    sys.modules["sitecustomize"] = _module = importlib.util.module_from_spec(_theirs)
    _theirs.loader.exec_module(_module)
elif _ours is not None:
    sys.modules["sitecustomize"] = _ours
