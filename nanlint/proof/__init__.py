"""Witnesses: concrete inputs that make a finding real, found by executing the slice of the graph behind it."""
