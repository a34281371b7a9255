"""``python -m nanlint``."""

from nanlint.cli import main

if __name__ == "__main__":
    main()
