"""Spaces of an agent's configuration."""

from deepracer_native.environments.identity import string_to_port as string_to_port
from deepracer_native.environments.spaces import SENSOR_SPACE as SENSOR_SPACE
from deepracer_native.environments.spaces import STATE_NUMBERS as STATE_NUMBERS
from deepracer_native.environments.spaces import action_space_type as action_space_type
from deepracer_native.environments.spaces import make_action_space as make_action_space
from deepracer_native.environments.spaces import make_observation_space as make_observation_space
from deepracer_native.environments.spaces import make_state_space as make_state_space
from deepracer_native.environments.spaces import num_channels as num_channels
from deepracer_native.environments.spaces import validate_action_space_config as validate_action_space_config
