"""Codemods, one file each, and what they ask of the source: places, scopes, imports, lossless nodes."""
