"""``python -m deepracer.clean``: remove what dead processes left behind."""

import sys

from deepracer_native.environments.clean import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
