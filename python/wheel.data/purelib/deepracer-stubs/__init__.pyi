"""DeepRacer without containers: the Gymnasium environment ``deepracer-v0``.

``import deepracer`` registers it; ``gymnasium.make("deepracer-v0")`` makes one race, ``deepracer.make_vec`` many."""

from typing import Any

from deepracer import defaults as defaults
from deepracer import envs as envs
from deepracer import errors as errors
from deepracer import rewards as rewards
from deepracer import service as service
from deepracer import utils as utils
from deepracer_native._native import __version__ as __version__
from deepracer_native.environments.registry import RunningSimulator as RunningSimulator
from deepracer_native.environments.registry import running as running
from gymnasium.vector import VectorEnv

def close(env: Any, cache: bool | None = None) -> None:
    """Close an environment, wrapped or not, single or vector.

    ``cache=True`` keeps its simulator warm for the next environment of the same configuration in this process;
    ``None`` does what its argument ``cache`` says.
    """

def shutdown_all() -> None:
    """Stop every simulator of this process, those in use and those kept warm. Calling it again does nothing."""

def make_vec(num_envs: int = 1, **arguments: Any) -> VectorEnv:
    """Make a native vector environment: ``num_envs`` races stepped together."""
