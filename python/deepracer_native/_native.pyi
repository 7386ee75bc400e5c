"""Types of the native module."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

__version__: str

def main(arguments: list[str]) -> int:
    """Run one command.

    ``arguments[0]`` is the command's name (``dr``, ``dr-start-training``, ...), the rest its arguments.
    Returns the exit code: 0 done, 1 finished but missed its goal, 2 wrong use, 3 failed, 130 interrupted.
    Raises ``KeyboardInterrupt`` when Ctrl-C arrives while Python code runs.
    """

def run(record: str) -> int:
    """Be the process of the run described by the record file, until it ends; returns its exit code."""

def track_names() -> list[str]:
    """Names of the published tracks, sorted without regard to case."""

def tracks_folder(start: str, dr_dir: str | None = None) -> str | None:
    """Folder of the imported route files of the racing folder at or above ``start``, or of ``dr_dir``."""

def imported_track_names(folder: str) -> list[str]:
    """Names of the route files imported into a folder. Raises ``OSError`` when it cannot be read."""

def process_started(pid: int) -> str | None:
    """When the living process ``pid`` was started, in the system's own words; ``None`` when there is none."""

def state_numbers() -> list[tuple[str, float, float]]:
    """Name, lowest and highest value of each number of a state vector."""

def forget_worlds() -> None:
    """Let go of the baked world that no simulator uses any more."""

def world_bytes() -> int:
    """Bytes of the baked worlds of this process."""

class Simulator:
    """Races that are stepped together, by one thread at a time.

    A race is an index from 0. It runs no episode until ``begin``; a step of one that runs none raises
    ``RuntimeError``, an action it does not have ``ValueError``, a race there is none of ``IndexError``.
    """

    def __init__(
        self,
        races: Sequence[dict[str, Any]],
        rewards: Sequence[str | Callable[[dict[str, Any]], Any]],
        checked: Callable[[Any], float],
        num_threads: int | None = None,
    ) -> None:
        """Build races from dictionaries as ``RaceConfiguration.native_options`` makes them.

        ``checked`` converts or refuses what a reward function returned when that is not a finite float. Raises
        ``ValueError`` when there is no such track or sensor, or the races do not all have the same sensors.
        """

    @property
    def num_races(self) -> int:
        """Number of races."""

    @property
    def num_threads(self) -> int:
        """Threads that step and draw."""

    @property
    def sensors(self) -> list[tuple[str, list[int], str]]:
        """Name, shape and dtype of each sensor's observation, in alphabetical order."""

    def set_reward(self, race: int, reward: str | Callable[[dict[str, Any]], Any]) -> None:
        """Judge a race by another function, or by a built-in reward."""

    def seed(self, race: int, seed: int) -> None:
        """Let everything by chance follow from ``seed``, from 0 below 2⁶⁴, as in a new race."""

    def begin(
        self,
        race: int,
        start: float | None = None,
        anywhere: bool = False,
        reversed: bool | None = None,
        objects: list[tuple[float, int]] | None = None,
    ) -> None:
        """Begin the next episode, its motionless first step included.

        ``start`` is a fraction of the track from 0 up to 1; what is left open follows the race's start rule.
        ``objects`` are the obstacles of this episode: fraction of the track, 0 to 1, and lane, -1 (outer) or 1 (inner).
        """

    SPECTATOR_SIZE: ClassVar[list[int]]
    """Columns and rows of spectators' pictures."""

    def watch(self) -> None:
        """Let a camera follow every car from now on."""

    def spectate(self, race: int, camera: str, out: NDArray[np.uint8]) -> None:
        """Draw a race as the camera ``follow`` or ``top`` sees it, ``[480, 640, 3]``; ``follow`` needs ``watch``."""

    def begin_ended(self) -> None:
        """Begin the next episode where one has just ended; the final steps remain to be judged."""

    def drive(self, race: int, index: int) -> tuple[bool, bool]:
        """Drive one race by the action of an index; returns whether its episode terminated, and was truncated."""

    def drive_values(self, race: int, steering: float, speed: float) -> tuple[bool, bool]:
        """Drive one race by two numbers from −1 to 1."""

    def step(
        self,
        actions: NDArray[np.int64],
        begin_ended: bool,
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
    ) -> int:
        """Drive all races by indices ``[races]``; returns how many episodes ended.

        With ``begin_ended``, a race whose episode has ended begins its next one instead.
        """

    def step_values(
        self,
        actions: NDArray[np.float64],
        begin_ended: bool,
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
    ) -> int:
        """Drive all races by numbers from −1 to 1, ``[races, 2]``."""

    def observe(self, arrays: Sequence[NDArray[Any]], rewards: NDArray[np.float64] | None = None) -> None:
        """Ask the sensors of all races, into one array ``[races, …]`` per sensor; judge the latest steps meanwhile."""

    def observe_one(self, race: int, arrays: Sequence[NDArray[Any]]) -> None:
        """Ask the sensors of one race, into one array per sensor."""

    def judge(self, rewards: NDArray[np.float64]) -> None:
        """Judge the latest step of each race; 0 where an episode has only begun."""

    def states(self, out: NDArray[np.float32]) -> None:
        """Write the state vectors of all races, ``[races, numbers]``."""

    def state_of(self, race: int, out: NDArray[np.float32]) -> None:
        """Write the state vector of one race."""

    def reward_params(self, race: int) -> dict[str, Any]:
        """Return what a reward function sees of the latest step; everything in it is new."""

    def episode_status(self, race: int) -> dict[str, bool]:
        """Return which rule fired in the latest step."""

    def reward_params_columns(self) -> dict[str, NDArray[Any]]:
        """Return an array per parameter, ``[races]``, and a mask per parameter."""

    def episode_status_columns(self) -> dict[str, NDArray[np.bool_]]:
        """Return an array per rule, ``[races]``, and a mask per rule."""

    def track(self, race: int) -> tuple[str, float]:
        """Return name and length, in metres, of the track a race is on."""

    def runs_counterclockwise(self, race: int) -> bool:
        """Whether the waypoints of a race's track run counter-clockwise."""
