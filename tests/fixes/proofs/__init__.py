"""The computations on which fixes are proven, a module a rule or family of rules: see tests/fixes/proving.py."""
