"""Syntax to nodes. Knows Python, no framework."""
