"""Codemods, one file each, what they ask of the source (places, scopes, imports, lossless nodes), and their reading back."""
