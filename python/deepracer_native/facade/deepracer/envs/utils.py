"""Spaces of an agent's configuration."""

from deepracer_native.environments.identity import string_to_port
from deepracer_native.environments.spaces import (
    SENSOR_SPACE,
    STATE_NUMBERS,
    action_space_type,
    make_action_space,
    make_observation_space,
    make_state_space,
    num_channels,
    validate_action_space_config,
)

__all__ = [
    "SENSOR_SPACE",
    "STATE_NUMBERS",
    "action_space_type",
    "make_action_space",
    "make_observation_space",
    "make_state_space",
    "num_channels",
    "string_to_port",
    "validate_action_space_config",
]
