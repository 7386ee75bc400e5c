"""Checks of configurations."""

from deepracer_native.environments.checks import RACE_TYPES as RACE_TYPES
from deepracer_native.environments.checks import effective_world as effective_world
from deepracer_native.environments.checks import known_tracks as known_tracks
from deepracer_native.environments.checks import validate_configs as validate_configs
from deepracer_native.environments.spaces import SUPPORTED_SENSORS as SUPPORTED_SENSORS
