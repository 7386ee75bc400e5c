"""Errors of the environments."""

from deepracer_native.environments.errors import (
    ActionSpaceError,
    InvalidAction,
    SimulatorStopped,
    TooManyEnvironments,
    UnsupportedConfiguration,
)

__all__ = [
    "ActionSpaceError",
    "InvalidAction",
    "SimulatorStopped",
    "TooManyEnvironments",
    "UnsupportedConfiguration",
]
