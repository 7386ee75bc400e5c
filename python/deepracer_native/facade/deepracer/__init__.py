"""DeepRacer without containers: the Gymnasium environment ``deepracer-v0``.

``import deepracer`` registers it; ``gymnasium.make("deepracer-v0")`` makes one race, ``deepracer.make_vec`` many.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import gymnasium
from deepracer_native._native import __version__
from deepracer_native.environments import ID, register
from deepracer_native.environments.manager import SimulationManager as _Manager
from deepracer_native.environments.registry import RunningSimulator, running

__all__ = ["RunningSimulator", "__version__", "close", "make_vec", "running", "shutdown_all"]


def close(env: Any, cache: bool | None = None) -> None:
    """Close an environment, wrapped or not, single or vector.

    ``cache=True`` keeps its simulator warm for the next environment of the same configuration in this process;
    ``None`` does what its argument ``cache`` says.
    """
    unwrapped = env.unwrapped
    if isinstance(unwrapped, gymnasium.vector.AsyncVectorEnv):
        # The simulators belong to the workers and end with them.
        unwrapped.close()
    elif isinstance(unwrapped, gymnasium.vector.SyncVectorEnv):
        for single in unwrapped.envs:
            close(single, cache)
        unwrapped.close()
    else:
        unwrapped.close(cache=cache)


def shutdown_all() -> None:
    """Stop every simulator of this process, those in use and those kept warm. Calling it again does nothing."""
    if _Manager._instance is not None:
        _Manager._instance.shutdown_all()


def make_vec(num_envs: int = 1, **arguments: Any) -> gymnasium.vector.VectorEnv:
    """Make a native vector environment: ``num_envs`` races stepped together.

    The same as ``gymnasium.make_vec("deepracer-v0", num_envs, vectorization_mode="vector_entry_point", …)``; see
    ``deepracer.envs.DeepracerVectorEnv`` for the arguments.
    """
    return gymnasium.make_vec(ID, num_envs=num_envs, vectorization_mode="vector_entry_point", **arguments)


def __getattr__(name: str) -> Any:
    """Import submodules on first use, those of other distributions called ``deepracer`` too."""
    if not name.startswith("_") and importlib.util.find_spec(f"{__name__}.{name}") is not None:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


register()
