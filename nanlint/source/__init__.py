"""Bytes -> Source: which files to visit, whether they can matter, how they decode, what their comments suppress.

Nothing here knows what a rule looks for.
"""

from nanlint.source.decoding import SourceError
from nanlint.source.syntax import Unparsable
from nanlint.source.text import Located, Source

__all__ = ["Located", "Source", "SourceError", "Unparsable"]
