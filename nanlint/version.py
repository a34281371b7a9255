"""The version: read by the program, by its reports, and when a package is built."""

__version__ = "0.1.0"
