"""Default configurations and reward, and the files they come from."""

from deepracer_native.environments.defaults import (
    default_agent_config,
    default_track_config,
    resolve_agent_config,
    resolve_track_config,
)
from deepracer_native.environments.rewards import RewardFunction, center_line

__all__ = [
    "default_agent_config",
    "default_reward_function",
    "default_track_config",
    "resolve_agent_config",
    "resolve_track_config",
]


def default_reward_function() -> RewardFunction:
    """Return the default reward: 1, 0.5 or 0.1 near the centre line, else 0.001."""
    return center_line
