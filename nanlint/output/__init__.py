"""Diagnostic -> text, one module a format. Pure functions: nothing here reads files or prints."""
