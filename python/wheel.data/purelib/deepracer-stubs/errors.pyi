"""Errors of the environments."""

from deepracer_native.environments.errors import ActionSpaceError as ActionSpaceError
from deepracer_native.environments.errors import InvalidAction as InvalidAction
from deepracer_native.environments.errors import SimulatorStopped as SimulatorStopped
from deepracer_native.environments.errors import TooManyEnvironments as TooManyEnvironments
from deepracer_native.environments.errors import UnsupportedConfiguration as UnsupportedConfiguration
