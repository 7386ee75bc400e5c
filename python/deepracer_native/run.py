"""``python -m deepracer_native.run RECORD``: the detached process of one training or evaluation run.

The ``dr-start-*`` commands start it; nobody needs to call it by hand.
"""

import contextlib
import os
import signal
import sys

from deepracer_native import _native


def main() -> int:
    """Leave the terminal that started the run, then run it to its end."""
    with contextlib.suppress(OSError):  # started by hand it may lead its own group already
        os.setsid()
    # The native side asks the run to finish on SIGINT and SIGTERM; Python must not raise inside user code.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return _native.run(sys.argv[1])


if __name__ == "__main__":
    sys.exit(main())
