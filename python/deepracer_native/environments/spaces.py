"""Action and observation spaces."""

from __future__ import annotations

import difflib
import math
import warnings
from typing import Any

import numpy as np
from gymnasium import spaces

from deepracer_native import _native
from deepracer_native.environments.defaults import Configuration, resolve_agent_config
from deepracer_native.environments.errors import ActionSpaceError

DISCRETE, CONTINUOUS = "discrete", "continuous"
STEERING, SPEED = "steering_angle", "speed"

#: What the car can do: degrees to either side, m/s.
LARGEST_STEERING_DEG = 30.0
SPEED_LIMITS_MPS = (0.1, 4.0)

CAMERAS = ("FRONT_FACING_CAMERA", "LEFT_CAMERA", "STEREO_CAMERAS", "observation")
LIDARS = ("LIDAR", "SECTOR_LIDAR", "DISCRETIZED_SECTOR_LIDAR")
#: Names of sensors, cameras first.
SUPPORTED_SENSORS = CAMERAS + LIDARS

#: Rays of the lidar, and its range in metres; what is farther reads as infinite.
NUM_RAYS = 64
NEAREST_M, FARTHEST_M = 0.15, 12.0
#: Settings of the discretised lidar, and what holds when they are not given.
LIDAR_DEFAULTS = {"num_sectors": 8, "num_values_per_sector": 8, "clipping_dist": 2.0}
LARGEST_NUM_VALUES = 1000

_COLOUR = spaces.Box(0, 255, (3, 120, 160), np.uint8)

#: The space of each sensor's observation: cameras channel, height, width; lidar metres. The space of
#: ``DISCRETIZED_SECTOR_LIDAR`` depends on ``lidar_config``; this is the default one.
SENSOR_SPACE: dict[str, spaces.Box] = {
    "FRONT_FACING_CAMERA": _COLOUR,
    "LEFT_CAMERA": _COLOUR,
    "observation": _COLOUR,
    "STEREO_CAMERAS": spaces.Box(0, 255, (2, 120, 160), np.uint8),
    "LIDAR": spaces.Box(NEAREST_M, math.inf, (NUM_RAYS,), np.float32),
    "SECTOR_LIDAR": spaces.Box(0.0, 1.0, (8,), np.float32),
    "DISCRETIZED_SECTOR_LIDAR": spaces.Box(0.0, 1.0, (64,), np.float32),
}

#: Name, least and greatest value of each number of the state vector.
STATE_NUMBERS: list[tuple[str, float, float]] = _native.state_numbers()


def action_space_type(cfg: dict[str, Any]) -> str:
    """Return ``discrete`` or ``continuous``: what the configuration says, else what its action space looks like."""
    if "action_space_type" in cfg:
        kind = cfg["action_space_type"]
        if kind not in (DISCRETE, CONTINUOUS):
            raise ValueError(f"action_space_type is wrongly defined as {kind!r}; legal: discrete, continuous")
        return kind
    space = cfg.get("action_space")
    if isinstance(space, list):
        return DISCRETE
    if isinstance(space, dict):
        return CONTINUOUS
    raise ValueError(
        f"action_space is wrongly defined as {space!r}; legal: a list of actions (discrete) or two ranges (continuous)"
    )


def validate_action_space_config(cfg: dict[str, Any], kind: str) -> None:
    """Check the ``action_space`` of a configuration; raises ``ActionSpaceError`` with the part that is wrong."""
    space = cfg.get("action_space")
    if kind == DISCRETE:
        _check_discrete(space)
    else:
        _check_continuous(space)


def _check_discrete(space: Any) -> None:
    if not isinstance(space, list):
        raise ActionSpaceError(
            f"a discrete action_space must be a list of actions, not {type(space).__name__}"
            + ('; for ranges set "action_space_type": "continuous"' if isinstance(space, dict) else "")
        )
    for index, action in enumerate(space):
        if not isinstance(action, dict):
            raise ActionSpaceError(f"action_space[{index}] is {action!r}; legal: {{'steering_angle': …, 'speed': …}}")
        for key in (STEERING, SPEED):
            if key not in action:
                raise ActionSpaceError(f"action_space[{index}] has no {key}")
            if not _is_number(action[key]):
                raise ActionSpaceError(f"action_space[{index}].{key} is {action[key]!r}; legal: a finite number")
    if not space:
        raise ValueError("action_space is empty; list at least one action")


def _check_continuous(space: Any) -> None:
    if not isinstance(space, dict):
        raise ActionSpaceError(
            f"a continuous action_space must be a dict of two ranges, not {type(space).__name__}"
            + ('; for a list of actions set "action_space_type": "discrete"' if isinstance(space, list) else "")
        )
    for key in (STEERING, SPEED):
        bounds = space.get(key)
        if not isinstance(bounds, dict):
            raise ActionSpaceError(f"action_space.{key} is {bounds!r}; legal: {{'low': …, 'high': …}}")
        for bound in ("low", "high"):
            if not _is_number(bounds.get(bound)):
                raise ActionSpaceError(f"action_space.{key}.{bound} is {bounds.get(bound)!r}; legal: a finite number")
        if bounds["low"] >= bounds["high"]:
            raise ActionSpaceError(f"action_space.{key}: low {bounds['low']!r} must lie below high {bounds['high']!r}")


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return is_number and math.isfinite(value)


def make_action_space(cfg: Configuration = None) -> tuple[spaces.Discrete | spaces.Box, list | dict]:
    """Return the action space of an agent and its actions as configured.

    Discrete: ``Discrete(n)``, an index into the list. Continuous: ``Box(-1, 1, (2,), float64)``, steering and speed;
    −1 stands for ``low``, +1 for ``high``, linear between.
    """
    agent = resolve_agent_config(cfg)
    kind = action_space_type(agent)
    validate_action_space_config(agent, kind)
    raw = agent["action_space"]
    if kind == DISCRETE:
        return spaces.Discrete(len(raw)), raw
    return spaces.Box(-1.0, 1.0, (2,), np.float64), raw


def warn_of_unreachable_actions(raw: list | dict) -> None:
    """Say which of the configured actions the car clips."""
    if isinstance(raw, list):
        steering = [action[STEERING] for action in raw]
        speed = [action[SPEED] for action in raw]
    else:
        steering = list(raw[STEERING].values())
        speed = list(raw[SPEED].values())
    if max(map(abs, steering)) > LARGEST_STEERING_DEG:
        warnings.warn(
            f"steering angles beyond ±{LARGEST_STEERING_DEG:g}° are clipped by the car", UserWarning, stacklevel=4
        )
    slowest, fastest = SPEED_LIMITS_MPS
    if min(speed) < slowest or max(speed) > fastest:
        warnings.warn(f"speeds outside {slowest} to {fastest:g} m/s are clipped by the car", UserWarning, stacklevel=4)


def validate_sensors(agent: dict[str, Any]) -> list[str]:
    """Check and return the sensors of a configuration: exactly one camera, at most one lidar."""
    sensors = agent.get("sensor")
    if not isinstance(sensors, list) or not sensors:
        raise ValueError(f"sensor is {sensors!r}; it must be a non-empty list of {', '.join(SUPPORTED_SENSORS)}")
    for sensor in sensors:
        if sensor not in SUPPORTED_SENSORS:
            raise ValueError(
                f"Unsupported sensor {sensor!r}; legal: {', '.join(SUPPORTED_SENSORS)}"
                + did_you_mean(str(sensor), SUPPORTED_SENSORS)
            )
    cameras = [sensor for sensor in sensors if sensor in CAMERAS]
    lidars = [sensor for sensor in sensors if sensor in LIDARS]
    if len(cameras) > 1:
        raise ValueError(f"sensor has {', '.join(cameras)}; legal: exactly one camera of {', '.join(CAMERAS)}")
    if not cameras:
        raise ValueError(f"{', '.join(lidars)} cannot be the only sensor; add one camera of {', '.join(CAMERAS)}")
    if len(lidars) > 1:
        raise ValueError(f"sensor has {', '.join(lidars)}; legal: at most one lidar of {', '.join(LIDARS)}")
    return sensors


def lidar_config(agent: dict[str, Any]) -> tuple[int, int, float]:
    """Return sectors, values per sector and clipping distance (metres) of a discretised lidar.

    Raises ``ValueError`` with the key and its legal values: sectors divide 64, at least one value, 0.15 to 12 m.
    """
    config = agent.get("lidar_config")
    if config is None:
        config = {}
    if not isinstance(config, dict):
        raise ValueError(f"lidar_config is {config!r}; legal: a dict of {', '.join(LIDAR_DEFAULTS)}")
    unknown = [key for key in config if key not in LIDAR_DEFAULTS]
    if unknown:
        raise ValueError(f"lidar_config has {unknown[0]!r}; legal: {', '.join(LIDAR_DEFAULTS)}")
    sectors, values, clipping_m = (config.get(key, default) for key, default in LIDAR_DEFAULTS.items())
    if not _is_whole(sectors) or sectors < 1 or NUM_RAYS % sectors:
        raise ValueError(f"lidar_config.num_sectors is {sectors!r}; legal: 1, 2, 4, 8, 16, 32, 64")
    if not _is_whole(values) or not 1 <= values <= LARGEST_NUM_VALUES:
        raise ValueError(
            f"lidar_config.num_values_per_sector is {values!r}; legal: a whole number from 1 to {LARGEST_NUM_VALUES}"
        )
    if not _is_number(clipping_m) or not NEAREST_M <= clipping_m <= FARTHEST_M:
        legal = f"metres from {NEAREST_M} to {FARTHEST_M:g}"
        raise ValueError(f"lidar_config.clipping_dist is {clipping_m!r}; legal: {legal}")
    return int(sectors), int(values), float(clipping_m)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def make_observation_space(cfg: Configuration = None) -> tuple[spaces.Dict, list[str]]:
    """Return the observation space of an agent, one entry per sensor, and its sensors as configured."""
    agent = resolve_agent_config(cfg)
    sensors = validate_sensors(agent)
    return spaces.Dict({sensor: sensor_space(agent, sensor) for sensor in sensors}), sensors


def sensor_space(agent: dict[str, Any], sensor: str) -> spaces.Box:
    """Return the space of one sensor's observation."""
    space = SENSOR_SPACE[sensor]
    if sensor == "DISCRETIZED_SECTOR_LIDAR":
        sectors, values, _ = lidar_config(agent)
        return spaces.Box(0.0, 1.0, (sectors * values,), np.float32)
    return spaces.Box(space.low, space.high, space.shape, space.dtype)


def make_state_space() -> spaces.Box:
    """Return the space of the state vector, see ``STATE_NUMBERS``."""
    low = np.array([low for _, low, _ in STATE_NUMBERS], np.float32)
    high = np.array([high for _, _, high in STATE_NUMBERS], np.float32)
    return spaces.Box(low, high, dtype=np.float32)


def num_channels(array: np.ndarray) -> int:
    """Return the number of channels of a picture ``[channels, height, width]``; 1 for ``[height, width]``."""
    return array.shape[0] if array.ndim == 3 else 1


def did_you_mean(name: str, names: Any) -> str:
    """Return a hint with up to three names that are spelled nearly so; nothing when there is none."""
    near = difflib.get_close_matches(name, list(names), n=3, cutoff=0.6)
    return f". Did you mean {', '.join(near)}?" if near else ""
