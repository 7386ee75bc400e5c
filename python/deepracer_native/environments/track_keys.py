"""The keys of ``track_config``: types, defaults, what is legal, what they mean."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

TRUE, FALSE = "true", "false"
ANYWHERE = "random"


@dataclass(frozen=True)
class Key:
    """One key of ``track_config``."""

    name: str
    #: Turns a value, text or native, into the typed one; raises ``ValueError`` with what is legal.
    parse: Callable[[Any], Any]
    #: What is legal, in words.
    legal: str
    #: What holds when the key is not given.
    default: Any
    meaning: str

    def value(self, track: dict[str, Any]) -> Any:
        """Return the typed value that a configuration gives this key."""
        given = track.get(self.name, self.default)
        try:
            return self.parse(given)
        except (ValueError, TypeError):
            raise ValueError(f"{self.name} is {given!r}; legal: {self.legal}") from None


def boolean(value: Any) -> bool:
    """Read a truth value: native, 0 or 1, or the words in any case."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, str):
        return {TRUE: True, FALSE: False}[_word(value, (TRUE, FALSE))]
    return [False, True][_index(value)]


def start_rule(value: Any) -> bool | str:
    """Read ``CHANGE_START_POSITION``: a truth value, or ``random``."""
    if isinstance(value, str) and value.strip().lower() == ANYWHERE:
        return ANYWHERE
    return boolean(value)


def _word(value: str, legal: tuple[str, ...]) -> str:
    word = value.strip().lower()
    if word not in legal:
        raise ValueError(value)
    return word


def _index(value: Any) -> int:
    index = operator.index(value)
    if index not in (0, 1):
        raise ValueError(value)
    return index


def count(value: Any) -> int:
    """Read a whole number, 0 or more."""
    if isinstance(value, bool):
        raise ValueError(value)
    if isinstance(value, str) or (isinstance(value, float | np.floating) and float(value).is_integer()):
        number = int(value)
    else:
        number = operator.index(value)
    if number < 0:
        raise ValueError(value)
    return number


def positive_count(value: Any) -> int:
    """Read a whole number, 1 or more."""
    result = count(value)
    if result < 1:
        raise ValueError(value)
    return result


def number(low: float = -math.inf, high: float = math.inf) -> Callable[[Any], float]:
    """Return a reader of finite numbers within limits."""

    def parse(value: Any) -> float:
        if isinstance(value, bool):
            raise ValueError(value)
        result = float(value)
        if not (math.isfinite(result) and low <= result <= high):
            raise ValueError(value)
        return result

    return parse


def choice(*names: str) -> Callable[[Any], str]:
    """Return a reader of one of several names, spelled exactly."""

    def parse(value: Any) -> str:
        if value not in names:
            raise ValueError(value)
        return value

    return parse


def text(value: Any) -> str:
    """Read text; numbers become text."""
    return str(value)


def positions(value: Any) -> list[tuple[float, int]]:
    """Read object positions: ``"progress, lane"`` texts or pairs; lane −1 is the outer one, else the inner one."""
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        raise ValueError(value)
    result = []
    for position in value:
        parts = position.split(",") if isinstance(position, str) else position
        along, lane = (float(part) for part in parts)
        if not (0.0 <= along <= 1.0 and math.isfinite(lane)):
            raise ValueError(value)
        result.append((along, -1 if lane == -1 else 1))
    return result


RACE_TYPES = ("TIME_TRIAL", "OBJECT_AVOIDANCE", "HEAD_TO_BOT", "HEAD_TO_MODEL")
OBSTACLE_TYPES = ("box_obstacle", "deepracer_box_obstacle", "amazon_box_obstacle")
CAR_COLORS = ("Black", "Grey", "Blue", "Red", "Orange", "White", "Purple")

_TRUTH = "true, false"
_COUNT = "a whole number, 0 or more"
_METRES = "a number of metres, 0 or more"
_SECONDS = "a number of seconds, 0 or more"
_WITH_RESETS = "acts when a crashed car is put back within an episode, so never while NUMBER_OF_RESETS is 0"

KEYS = (
    Key(
        "CHANGE_START_POSITION",
        start_rule,
        "true, false, random",
        True,
        "each episode starts further along the track, by ROUND_ROBIN_ADVANCE_DIST; `random`: anywhere",
    ),
    Key("ALTERNATE_DRIVING_DIRECTION", boolean, _TRUTH, True, "change direction with every episode"),
    Key("ENABLE_DOMAIN_RANDOMIZATION", boolean, _TRUTH, False, "other colours and light in every episode"),
    Key("NUMBER_OF_OBSTACLES", count, _COUNT, 0, "boxes on the track"),
    Key(
        "MIN_DISTANCE_BETWEEN_OBSTACLES",
        number(0.0, 100.0),
        "a number from 0 to 100, percent of the track",
        16.0,
        "percent of the track's length between obstacles",
    ),
    Key(
        "RANDOMIZE_OBSTACLE_LOCATIONS",
        boolean,
        _TRUTH,
        True,
        "new places and lanes in every episode; false: equal distances, lanes in turn, the inner one first",
    ),
    Key("IS_OBSTACLE_BOT_CAR", boolean, _TRUTH, False, "obstacles are parked cars"),
    Key(
        "OBJECT_POSITIONS",
        positions,
        'a list of "progress, lane": progress from 0 to 1 along the track, lane -1 (outer) or 1 (inner)',
        (),
        "where obstacles stand; overrides NUMBER_OF_OBSTACLES and their randomisation",
    ),
    Key("NUMBER_OF_BOT_CARS", count, _COUNT, 0, "driving cars on the track"),
    Key("MIN_DISTANCE_BETWEEN_BOT_CARS", number(0.0), _METRES, 2.0, "metres between bot cars"),
    Key("RANDOMIZE_BOT_CAR_LOCATIONS", boolean, _TRUTH, True, "new places of the bot cars in every episode"),
    Key("BOT_CAR_SPEED", number(0.0, 4.0), "a number of m/s from 0 to 4", 0.2, "speed of the bot cars, m/s"),
    Key("IS_LANE_CHANGE", boolean, _TRUTH, False, "bot cars change lanes"),
    Key("LOWER_LANE_CHANGE_TIME", number(0.0), _SECONDS, 3.0, "least seconds between changes of lane"),
    Key("UPPER_LANE_CHANGE_TIME", number(0.0), _SECONDS, 5.0, "most seconds between changes of lane"),
    Key("LANE_CHANGE_DISTANCE", number(0.0), _METRES, 1.0, "metres a change of lane takes"),
    Key("RESET_BEHIND_DIST", number(0.0), _METRES, 1.5, f"metres behind an obstacle; {_WITH_RESETS}"),
    Key("RESET_AHEAD_DIST", number(0.0), _METRES, 1.0, f"metres ahead of an obstacle; {_WITH_RESETS}"),
    Key("ENABLE_MERCY_RESET", boolean, _TRUTH, True, f"put the car past what it keeps crashing into; {_WITH_RESETS}"),
    Key("MAX_RESETS_AFTER_CRASH", count, _COUNT, 3, f"crashes until then; {_WITH_RESETS}"),
    Key(
        "RACE_TYPE",
        choice(*RACE_TYPES),
        ", ".join(RACE_TYPES),
        "TIME_TRIAL",
        "a name only: it puts nothing anywhere",
    ),
    Key("NUMBER_OF_RESETS", count, _COUNT, 0, "mishaps that are forgiven per episode, for a penalty"),
    Key("REVERSE_DIR", boolean, _TRUTH, False, "drive against the waypoints"),
    Key(
        "ROUND_ROBIN_ADVANCE_DIST",
        number(0.0, 1.0),
        "a number from 0 to 1",
        0.05,
        "how much later each episode starts, a fraction of the track",
    ),
    Key("START_POSITION_OFFSET", number(0.0, 1.0), "a number from 0 to 1", 0.0, "first start, a fraction of the track"),
    Key(
        "NUMBER_OF_REVERSE_COUNTS",
        positive_count,
        "a whole number, 1 or more",
        15,
        "steps of falling progress that count as driving backwards",
    ),
    Key("OFF_TRACK_PENALTY", number(0.0), _SECONDS, 2.0, "seconds of waiting after leaving the road, with resets"),
    Key("COLLISION_PENALTY", number(0.0), _SECONDS, 5.0, "seconds of waiting after a crash, with resets"),
    Key("OBSTACLE_TYPE", choice(*OBSTACLE_TYPES), ", ".join(OBSTACLE_TYPES), "box_obstacle", "kind of the boxes"),
    Key("IS_CONTINUOUS", boolean, _TRUTH, False, "only false: an episode is one lap"),
    Key("CAR_COLOR", choice(*CAR_COLORS), ", ".join(CAR_COLORS), "Black", "colour of the car in pictures from outside"),
    Key("BODY_SHELL_TYPE", text, "text", "deepracer", "shape of the car; there is one"),
    Key("DISPLAY_NAME", text, "text", "", "name of the car"),
)

BY_NAME = {key.name: key for key in KEYS}
