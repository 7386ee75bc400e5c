"""Implementation of the ``dr-*`` commands and of the reward-function host.

The package has this name of its own so that it lives beside other distributions that
install a package called ``deepracer``.
"""

from deepracer_native._native import __version__

__all__ = ["__version__"]
