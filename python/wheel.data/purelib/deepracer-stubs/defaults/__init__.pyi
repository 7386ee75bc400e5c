"""Default configurations and reward, and the files they come from."""

from deepracer_native.environments.defaults import default_agent_config as default_agent_config
from deepracer_native.environments.defaults import default_track_config as default_track_config
from deepracer_native.environments.defaults import resolve_agent_config as resolve_agent_config
from deepracer_native.environments.defaults import resolve_track_config as resolve_track_config
from deepracer_native.environments.rewards import RewardFunction as _RewardFunction

def default_reward_function() -> _RewardFunction:
    """Return the default reward: 1, 0.5 or 0.1 near the centre line, else 0.001."""
