"""How an episode ended, from what a server says."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

#: These end an episode as part of the task.
TERMINAL = ("lap_complete", "crashed", "reversed", "off_track")
#: These break it off.
BREAKING = ("immobilized", "time_up")


def terminated_check(status: Mapping[str, bool], game_over: bool) -> bool:
    """Whether the episode ended as part of the task: a lap, or a mishap."""
    return bool(game_over) and any(status.get(name, False) for name in TERMINAL)


def truncated_check(status: Mapping[str, bool], game_over: bool) -> bool:
    """Whether the episode was broken off; warns when the server does not say why."""
    truncated = bool(game_over) and not terminated_check(status, game_over)
    if truncated and not any(status.get(name, False) for name in BREAKING):
        warnings.warn(
            "the episode ended without a reason; if this happens again, restart the simulator",
            UserWarning,
            stacklevel=2,
        )
    return truncated
