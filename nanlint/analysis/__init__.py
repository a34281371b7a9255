"""Interpretations of the graph: range and health, guards, gradient flow, hazards. Verdicts are the rules'."""
