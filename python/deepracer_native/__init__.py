"""Implementation of the ``dr-*`` commands, the Gymnasium environments and the reward-function host.

The package has this name of its own so that it lives beside other distributions that
install a package called ``deepracer``. Programs ``import deepracer``, which ``deepracer_native.hook``
lets mean ``deepracer_native/facade/deepracer`` merged with whatever else has that name.
"""

__all__ = ["__version__"]


def __getattr__(name: str) -> str:
    """Load the native module only for those who ask: the start-up hook imports this package in every interpreter."""
    if name == "__version__":
        from deepracer_native._native import __version__

        return __version__
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
