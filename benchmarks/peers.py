"""Runs one program under a peer of nanlint, and prints the line that the peer blames: `python peers.py PEER PROGRAM`.

The line is printed as JSON, null where the peer says nothing, or nothing of a line of the program.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import runpy
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable

Found = int | None


def last_line(text: str, program: str) -> Found:
    """The last line of the program that a text of tracebacks names."""
    lines = re.findall(rf'{re.escape(program)}["\']?,? (?:line |:)?(\d+)', text)
    lines += re.findall(rf"{re.escape(program)}:(\d+)", text)
    return int(lines[-1]) if lines else None


def line_of_error(program: str) -> Found:
    """The program's innermost line in the traceback of the exception that ends it."""
    try:
        runpy.run_path(program, run_name="__main__")
    except Exception as error:
        return innermost(error, program)
    return None


def innermost(error: Exception, program: str) -> Found:
    """The program's innermost line in a traceback."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == program]
    return frames[-1].lineno if frames else None


def detect_anomaly(program: str) -> Found:
    """PyTorch's anomaly mode: the forward line of the backward op that it blames."""
    import torch

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with torch.autograd.detect_anomaly():
                runpy.run_path(program, run_name="__main__")
        except Exception as error:
            if "returned nan values" not in str(error):
                return None
    told = [str(one.message) for one in caught if "Traceback of forward call" in str(one.message)]
    return last_line(told[-1], program) if told else None


def check_numerics(program: str) -> Found:
    """TensorFlow's ``enable_check_numerics``: the last line of the program in its message."""
    import tensorflow as tf

    tf.debugging.enable_check_numerics()
    try:
        runpy.run_path(program, run_name="__main__")
    except Exception as error:  # in graphs the message tells of the stack, eagerly the traceback does
        return last_line(str(error), program) or innermost(error, program)
    return None


def debugger_v2(program: str) -> Found:
    """A Debugger V2 dump, read for its first bad tensor: full health, with the ring buffer that is its default."""
    import tensorflow as tf

    from nanlint.runtime.inspecting.debugger_v2 import read_dump

    with tempfile.TemporaryDirectory() as directory:
        writer = tf.debugging.experimental.enable_dump_debug_info(directory, "FULL_HEALTH", circular_buffer_size=1000)
        with contextlib.suppress(Exception):
            runpy.run_path(program, run_name="__main__")
        writer.FlushNonExecutionFiles()
        writer.FlushExecutionFiles()
        run = read_dump(directory)
    if run.first_birth is None:
        return None
    frames = run.incidents[run.first_birth].frames
    return next((frame.line for frame in frames if frame.path == program), None)


def debug_nans(program: str) -> Found:
    """JAX's ``debug_nans`` and ``debug_infs``."""
    import jax

    jax.config.update("jax_debug_nans", True)
    jax.config.update("jax_debug_infs", True)
    return line_of_error(program)


def raising(program: str) -> Found:
    """NumPy with ``seterr(all="raise")``."""
    import numpy as np

    np.seterr(all="raise", under="ignore")
    return line_of_error(program)


PEERS: dict[str, Callable[[str], Found]] = {
    "detect_anomaly": detect_anomaly,
    "check_numerics": check_numerics,
    "Debugger V2": debugger_v2,
    "debug_nans": debug_nans,
    "seterr(raise)": raising,
}

if __name__ == "__main__":
    peer, program = sys.argv[1:]
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    with contextlib.redirect_stdout(sys.stderr):
        found = PEERS[peer](os.path.abspath(program))
    print(json.dumps(found))
