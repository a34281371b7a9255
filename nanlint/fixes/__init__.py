"""Codemods, one file each, what they ask of the source (places, scopes, lossless nodes), and how they are read back."""
