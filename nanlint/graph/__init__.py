"""The framework-neutral dataflow graph of a file, and the lowering from its syntax tree."""
