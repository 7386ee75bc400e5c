"""The one function behind every console script."""

import sys
from pathlib import Path

from deepracer_native import _native

INTERRUPTED = 130


def main() -> int:
    """Run the command named by the script that was started, and return its exit code."""
    try:
        return _native.main([Path(sys.argv[0]).stem, *sys.argv[1:]])
    except KeyboardInterrupt:
        return INTERRUPTED
