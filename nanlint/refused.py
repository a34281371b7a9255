"""What ends a command with a message and exit code 2."""


class Refused(Exception):
    """What was asked for cannot be done. The message names what is wrong, and what to do."""
