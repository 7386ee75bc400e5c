"""Checks of a whole configuration, before anything is started."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deepracer_native import _native
from deepracer_native.environments import track_keys
from deepracer_native.environments.errors import UnsupportedConfiguration
from deepracer_native.environments.spaces import (
    CONTINUOUS,
    SPEED,
    STEERING,
    action_space_type,
    did_you_mean,
    lidar_config,
    validate_action_space_config,
    validate_sensors,
    warn_of_unreachable_actions,
)

AGENT_KEYS = (
    "action_space_type",
    "action_space",
    "sensor",
    "neural_network",
    "version",
    "training_algorithm",
    "lidar_config",
    "preprocess_type",
    "regional_parameters",
)
RACE_TYPES = track_keys.RACE_TYPES
QUALITIES = ("fast", "standard", "fine")
#: What the original's documentation says an episode lasts at most.
TIME_LIMIT_S = 180.0


def known_tracks() -> set[str]:
    """Return the names of the 127 published tracks."""
    return set(_native.track_names())


def tracks_folder() -> Path | None:
    """Return where route files of the racing folder at hand are: of ``DR_DIR``, or at or above the current folder."""
    folder = _native.tracks_folder(str(Path.cwd()), os.environ.get("DR_DIR"))
    return Path(folder) if folder else None


def effective_world(track: dict[str, Any], world_name: str | None, evaluation: bool) -> str | None:
    """Return the world that is raced on: ``world_name`` where it is given, else the one of the configuration."""
    return world_name or track.get("WORLD_NAME")


def check_world(world: str | None) -> str:
    """Return the world; raises ``ValueError`` when none is specified or there is none of this name."""
    if not world:
        raise ValueError("no world is specified: give world_name or WORLD_NAME in track_config")
    folder = tracks_folder()
    imported = set(_native.imported_track_names(str(folder))) if folder else set()
    names = known_tracks() | imported
    if world not in names:
        raise ValueError(
            f"Unknown WORLD_NAME {world!r}{did_you_mean(str(world), sorted(names))} "
            "deepracer.service.validate.known_tracks() lists all names; `dr-tracks import` adds routes of your own"
        )
    return world


def validate_configs(
    agent: dict[str, Any], track: dict[str, Any], world_name: str | None = None, evaluation: bool = False
) -> None:
    """Check complete configurations; raises the documented errors, warns of what is probably a mistake."""
    validate_action_space_config(agent, action_space_type(agent))
    validate_sensors(agent)
    lidar_config(agent)
    check_world(effective_world(track, world_name, evaluation))
    for key in track_keys.KEYS:
        key.value(track)
    if value(track, "LOWER_LANE_CHANGE_TIME") > value(track, "UPPER_LANE_CHANGE_TIME"):
        raise ValueError(
            f"LOWER_LANE_CHANGE_TIME {track['LOWER_LANE_CHANGE_TIME']!r} must not exceed "
            f"UPPER_LANE_CHANGE_TIME {track['UPPER_LANE_CHANGE_TIME']!r}"
        )
    version(agent)
    warn_of_unknown("agent_config", agent, AGENT_KEYS)
    warn_of_unknown("track_config", track, ["WORLD_NAME", *track_keys.BY_NAME])


def value(track: dict[str, Any], key: str) -> Any:
    """Return the typed value of a key of ``track_config``."""
    return track_keys.BY_NAME[key].value(track)


def version(agent: dict[str, Any]) -> float:
    """Return the ``version`` of an agent, which chooses the car's physics; 5 where there is none."""
    given = agent.get("version", 5)
    try:
        return track_keys.number(0.0)(given)
    except (TypeError, ValueError):
        raise ValueError(f'version is {given!r}; legal: a number such as "6"') from None


def warn_of_unknown(argument: str, given: dict[str, Any], known: Iterable[str]) -> None:
    """Warn of keys that mean nothing, with what they may have been meant to be."""
    known = list(known)
    for key in given:
        if key not in known:
            hint = did_you_mean(str(key), known) or "."
            warnings.warn(f"{argument}: {key!r} is not a key and means nothing{hint}", UserWarning, stacklevel=4)


@dataclass(frozen=True)
class RaceConfiguration:
    """Everything a race is made from, checked."""

    agent: dict[str, Any]
    track: dict[str, Any]
    world: str
    evaluation: bool
    quality: str
    time_limit_s: float | None

    @property
    def sensors(self) -> list[str]:
        """Names of the sensors."""
        return self.agent["sensor"]

    def native_options(self) -> dict[str, Any]:
        """Return what the native simulator needs."""
        self._refuse_what_is_not_there()
        folder = tracks_folder()
        moves_start = value(self.track, "CHANGE_START_POSITION") if not self.evaluation else False
        is_continuous = action_space_type(self.agent) == CONTINUOUS
        raw = self.agent["action_space"]
        return {
            "world": self.world,
            "tracks_folder": str(folder) if folder else None,
            "version": version(self.agent),
            "actions": [] if is_continuous else [(float(a[STEERING]), float(a[SPEED])) for a in raw],
            "ranges": [_bounds(raw[STEERING]), _bounds(raw[SPEED])] if is_continuous else None,
            "sensors": self.sensors,
            "lidar": lidar_config(self.agent),
            "quality": self.quality,
            "start_offset": value(self.track, "START_POSITION_OFFSET"),
            "start_advance": value(self.track, "ROUND_ROBIN_ADVANCE_DIST") if moves_start else 0.0,
            "start_anywhere": moves_start == track_keys.ANYWHERE,
            "reversed": value(self.track, "REVERSE_DIR"),
            "alternate": value(self.track, "ALTERNATE_DRIVING_DIRECTION") and not self.evaluation,
            "num_resets": min(value(self.track, "NUMBER_OF_RESETS"), 2**32 - 1),
            "off_track_penalty_s": value(self.track, "OFF_TRACK_PENALTY"),
            "collision_penalty_s": value(self.track, "COLLISION_PENALTY"),
            "num_reverse_steps": min(value(self.track, "NUMBER_OF_REVERSE_COUNTS"), 2**32 - 1),
            "reset_behind_m": value(self.track, "RESET_BEHIND_DIST"),
            "mercy": self._mercy(),
            "car": (value(self.track, "CAR_COLOR"), value(self.track, "BODY_SHELL_TYPE")),
            "randomises_domain": value(self.track, "ENABLE_DOMAIN_RANDOMIZATION"),
            "objects": self._objects(),
            "time_limit_s": self.time_limit_s,
        }

    def _mercy(self) -> tuple[int, float] | None:
        """Return crashes at one obstacle until the car is put ahead of it, and how far; ``None`` for no mercy."""
        num_resets = min(value(self.track, "MAX_RESETS_AFTER_CRASH"), 2**32 - 1)
        shows_mercy = value(self.track, "ENABLE_MERCY_RESET") and num_resets > 0
        return (num_resets, value(self.track, "RESET_AHEAD_DIST")) if shows_mercy else None

    def _objects(self) -> dict[str, Any]:
        """Return what the native simulator needs to know of obstacles and bot cars."""
        changes_lane = value(self.track, "IS_LANE_CHANGE")
        times = (value(self.track, "LOWER_LANE_CHANGE_TIME"), value(self.track, "UPPER_LANE_CHANGE_TIME"))
        is_parked = value(self.track, "IS_OBSTACLE_BOT_CAR")
        return {
            "positions": value(self.track, "OBJECT_POSITIONS"),
            "num_obstacles": value(self.track, "NUMBER_OF_OBSTACLES"),
            "obstacle_distance_percent": value(self.track, "MIN_DISTANCE_BETWEEN_OBSTACLES"),
            "obstacles_random": value(self.track, "RANDOMIZE_OBSTACLE_LOCATIONS"),
            "obstacle_kind": "bot_car" if is_parked else value(self.track, "OBSTACLE_TYPE"),
            "num_bots": value(self.track, "NUMBER_OF_BOT_CARS"),
            "bot_distance_m": value(self.track, "MIN_DISTANCE_BETWEEN_BOT_CARS"),
            "bots_random": value(self.track, "RANDOMIZE_BOT_CAR_LOCATIONS"),
            "bot_speed_mps": value(self.track, "BOT_CAR_SPEED"),
            "lane_change": (*times, value(self.track, "LANE_CHANGE_DISTANCE")) if changes_lane else None,
        }

    def _refuse_what_is_not_there(self) -> None:
        if value(self.track, "IS_CONTINUOUS"):
            raise UnsupportedConfiguration(
                "IS_CONTINUOUS is true, but an episode is one lap here; NUMBER_OF_RESETS forgives mishaps within it"
            )


def _bounds(bounds: dict[str, float]) -> tuple[float, float]:
    return float(bounds["low"]), float(bounds["high"])


def race_configuration(
    agent: dict[str, Any],
    track: dict[str, Any],
    world_name: str | None,
    evaluation: bool,
    quality: str,
    time_limit_s: float | None,
) -> RaceConfiguration:
    """Check complete configurations and the arguments beside them, and put them together."""
    if world_name is not None and not isinstance(world_name, str):
        raise TypeError(f"world_name must be a string or None, not {type(world_name).__name__}")
    validate_configs(agent, track, world_name, evaluation)
    if quality not in QUALITIES:
        raise ValueError(f"quality is {quality!r}; legal: {', '.join(QUALITIES)}")
    if time_limit_s is not None:
        try:
            time_limit_s = track_keys.number(0.0)(time_limit_s)
        except (TypeError, ValueError):
            raise ValueError(f"time_limit_s is {time_limit_s!r}; legal: a number of seconds, None") from None
    warn_of_unreachable_actions(agent["action_space"])
    world = check_world(effective_world(track, world_name, evaluation))
    return RaceConfiguration(agent, track, world, bool(evaluation), quality, time_limit_s)
