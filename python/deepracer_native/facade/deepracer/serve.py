"""``python -m deepracer.serve``: one race behind a server that speaks the container-based simulator's protocol."""

import sys

from deepracer_native.environments.serve import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
