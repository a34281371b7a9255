"""``python -m nanlint``."""

import os
import sys
from contextlib import suppress

if __name__ == "__main__":
    # Python looks for modules in the working directory first, and what lies there is to be read, not to be run.
    with suppress(OSError):
        if sys.path[0] == os.getcwd() != os.path.dirname(os.path.dirname(os.path.abspath(__file__))):
            del sys.path[0]

    from nanlint.start import main

    main()
