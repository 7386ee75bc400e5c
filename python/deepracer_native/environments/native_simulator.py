"""One race in this process, as an environment asks for it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from gymnasium import error

from deepracer_native import _native
from deepracer_native.environments import track_keys
from deepracer_native.environments.checks import RaceConfiguration
from deepracer_native.environments.rewards import checked
from deepracer_native.environments.spaces import STATE_NUMBERS

#: Keys of ``options`` in ``reset``.
OPTIONS = ("start_position", "direction", "objects")
DIRECTIONS = ("forward", "reversed", "clockwise", "counterclockwise")


class Moment(NamedTuple):
    """What a simulator tells after a reset or a step."""

    observation: Any
    reward_params: dict[str, Any]
    episode_status: dict[str, bool]
    terminated: bool
    truncated: bool


class NativeSimulator:
    """A race driven by the native simulator."""

    def __init__(self, configuration: RaceConfiguration, observe_state: bool) -> None:
        """Build the race; its world is baked unless another environment of this process has it."""
        self._races = _native.Simulator([configuration.native_options()], ["center_line"], checked, 1)
        self._sensors = self._races.sensors
        self._observe_state = observe_state
        self._closed = False

    def reset(self, seed: int | None, options: dict[str, Any]) -> Moment:
        """Begin an episode; with a seed, as if the simulator were new."""
        self._expect_open()
        wish = start_wish(options, self._races.runs_counterclockwise(0))
        if seed is not None:
            self._races.seed(0, seed)
        self._races.begin(0, **wish)
        return self._moment(False, False)

    def drive(self, action: Any) -> Moment:
        """Drive one step: an index, or a pair of numbers from −1 to 1."""
        self._expect_open()
        races = self._races
        return self._moment(*(races.drive(0, action) if isinstance(action, int) else races.drive_values(0, *action)))

    def _moment(self, terminated: bool, truncated: bool) -> Moment:
        races = self._races
        observation = self._state() if self._observe_state else self.picture()
        return Moment(observation, races.reward_params(0), races.episode_status(0), terminated, truncated)

    def picture(self) -> dict[str, np.ndarray]:
        """Return what the sensors see now, in fresh arrays."""
        arrays = {name: np.empty(shape, dtype) for name, shape, dtype in self._sensors}
        self._races.observe(list(arrays.values()))
        return arrays

    def watch(self) -> None:
        """Let a camera follow the car from now on."""
        self._races.watch()

    def spectate(self, camera: str) -> np.ndarray:
        """Return the race as ``follow`` or ``top`` sees it, ``uint8`` ``[480, 640, 3]``."""
        self._expect_open()
        return spectated(self._races, 0, camera)

    def _state(self) -> np.ndarray:
        state = np.empty(len(STATE_NUMBERS), np.float32)
        self._races.state_of(0, state)
        return state

    def rest(self) -> bool:
        """Keep still until somebody else wants the race; whether that is possible."""
        return not self._closed

    def wake(self) -> bool:
        """Be as new for somebody else; whether that is possible."""
        return not self._closed

    def close(self) -> None:
        """Give the memory back."""
        self._closed = True
        self._races = None

    def _expect_open(self) -> None:
        if self._closed:
            raise error.ClosedEnvironmentError(
                "the simulator of this environment was shut down (deepracer.shutdown_all); make another environment"
            )


def spectated(races: Any, index: int, camera: str) -> np.ndarray:
    """Return a race of a native simulator as the camera ``follow`` or ``top`` sees it, ``[480, 640, 3]``."""
    width, height = races.SPECTATOR_SIZE
    picture = np.empty((height, width, 3), np.uint8)
    races.spectate(index, camera, picture)
    return picture


def start_wish(options: dict[str, Any], runs_counterclockwise: bool) -> dict[str, Any]:
    """Read the options of one race's reset: where to start, which way to drive, what stands on the track."""
    for key in options:
        if key not in OPTIONS:
            raise ValueError(f"options has {key!r}; legal: {', '.join(OPTIONS)}")
    wish: dict[str, Any] = {"start": None, "anywhere": False, "reversed": None, "objects": None}
    start = options.get("start_position")
    if start == "random":
        wish["anywhere"] = True
    elif start is not None:
        is_number = isinstance(start, int | float | np.integer | np.floating) and not isinstance(start, bool)
        if not is_number or not 0.0 <= start < 1.0:
            raise ValueError(f"start_position is {start!r}; legal: a fraction of the track from 0 up to 1, 'random'")
        wish["start"] = float(start)
    direction = options.get("direction")
    if direction is not None:
        if direction not in DIRECTIONS:
            raise ValueError(f"direction is {direction!r}; legal: {', '.join(DIRECTIONS)}")
        forward = {True: "counterclockwise", False: "clockwise"}[runs_counterclockwise]
        wish["reversed"] = direction not in ("forward", forward)
    objects = options.get("objects")
    if objects is not None:
        try:
            wish["objects"] = track_keys.positions(objects)
        except (TypeError, ValueError):
            legal = track_keys.BY_NAME["OBJECT_POSITIONS"].legal
            raise ValueError(f"objects is {objects!r}; legal: {legal}") from None
    return wish
