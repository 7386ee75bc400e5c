"""What can go wrong with an environment.

Most of these are two kinds of error at once: the documented one (``AssertionError`` for actions and action
spaces), and ``ValueError``, which stays under ``python -O`` and is what a wrong value is.
"""


class ActionSpaceError(ValueError, AssertionError):
    """The action space of an agent cannot be used."""


class InvalidAction(ValueError, AssertionError):
    """An action lies outside of the action space."""


class UnsupportedConfiguration(ValueError, NotImplementedError):
    """A legal setting that this version cannot honour."""


class TooManyEnvironments(RuntimeError):
    """All slots for simulators of this process are taken."""


class SimulatorStopped(RuntimeError):
    """Somebody stopped the simulator of a living environment."""
