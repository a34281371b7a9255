"""The version: read by the program, by its reports, and when a package is built. And that of Python."""

import sys

__version__ = "0.1.0"
#: the Python that reads the files
RUNNING = "Python {}.{}".format(*sys.version_info)
