"""Hazards: what makes a singular number, what guards it, where it goes; and, last, how sure that is."""
