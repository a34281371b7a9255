"""Dumps of TensorFlow's Debugger V2 (``tf.debugging.experimental.enable_dump_debug_info``), read with TensorFlow."""

from nanlint.runtime.inspecting.debugger_v2.origins import read_dump as read_dump
