"""Reward functions: the built-in ones by name, and whatever a user hands in.

The built-in ones also run inside the native vector environment, without Python; there they compute the same.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from deepracer_native.environments.defaults import FOLDER

RewardFunction = Callable[[dict[str, Any]], float]

LEAST = 1e-3


def load(path: Path) -> RewardFunction:
    """Import a reward function from a file, as a module of its own."""
    if not path.is_file():
        raise FileNotFoundError(f"there is no reward function in {path}")
    spec = spec_from_file_location(f"deepracer_reward_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path} is not a Python file")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    function = getattr(module, "reward_function", None)
    if not callable(function):
        raise AttributeError(f"{path} defines no function `reward_function(params)`")
    return function


center_line: RewardFunction = load(FOLDER / "reward_function.py")


def progress(params: dict[str, Any]) -> float:
    """Return the percent of the lap per step so far, at least 0.001; 0.001 off the road."""
    if params["is_offtrack"]:
        return LEAST
    return max(params["progress"] / max(params["steps"], 1.0), LEAST)


def speed(params: dict[str, Any]) -> float:
    """Return the speed asked for with all wheels on the road, m/s, else 0.001."""
    return float(params["speed"]) if params["all_wheels_on_track"] else LEAST


BUILT_IN: dict[str, RewardFunction] = {"center_line": center_line, "progress": progress, "speed": speed}


def resolve(reward: RewardFunction | str | os.PathLike[str] | None) -> RewardFunction | str:
    """Turn the argument ``reward_function`` into a callable, or into the name of a built-in reward.

    ``None`` is the default reward, ``center_line``. Text that ends in ``.py``, or a path, is a file that defines
    ``reward_function``. Raises ``TypeError`` for what is none of these, ``ValueError`` for an unknown name,
    ``FileNotFoundError`` and ``AttributeError`` for a file that is missing or defines no such function.
    """
    if reward is None:
        return "center_line"
    if isinstance(reward, os.PathLike) or (isinstance(reward, str) and reward.endswith(".py")):
        return load(Path(reward))
    if isinstance(reward, str):
        if reward not in BUILT_IN:
            names = ", ".join(BUILT_IN)
            raise ValueError(f"reward_function is {reward!r}; legal: {names}, a function, the path of a Python file")
        return reward
    for name, function in BUILT_IN.items():
        if reward is function:
            return name
    if not callable(reward):
        raise TypeError(
            f"reward_function must be a function of one argument, not {type(reward).__name__}; "
            f"a name of {', '.join(BUILT_IN)} or the path of a file that defines reward_function(params) will also do"
        )
    return reward


def checked(value: Any) -> float:
    """Convert what a reward function returned to a float.

    Raises ``TypeError`` for what is not a number, ``ValueError`` for one that is not finite.
    """
    if type(value) is not float:
        if not isinstance(value, Real | np.bool_):
            shown = repr(value)
            shown = shown if len(shown) <= 80 else shown[:80] + "…"
            hint = "; take the number out with float() or .item()" if hasattr(value, "shape") else ""
            raise TypeError(
                f"the reward function returned {shown} of type {type(value).__name__}; it must return a number{hint}"
            )
        value = float(value)
    if not math.isfinite(value):
        raise ValueError(f"the reward function returned {value}; a reward must be finite")
    return value
