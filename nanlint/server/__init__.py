"""The language server: what editors ask, answered from the pipeline that the command line runs.

Pure functions turn the frozen model into the protocol's types; what has state is in ``documents``, ``projects`` and
``checking``; ``server`` only wires. Nothing here finds or decides anything about a program.
"""
