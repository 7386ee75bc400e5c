"""Checks of configurations."""

from deepracer_native.environments.checks import RACE_TYPES, effective_world, known_tracks, validate_configs
from deepracer_native.environments.spaces import SUPPORTED_SENSORS

__all__ = ["RACE_TYPES", "SUPPORTED_SENSORS", "effective_world", "known_tracks", "validate_configs"]
