"""Interpretations of the graph: range and health, guards, gradient flow. Hazards are gathered from them."""
