"""What tests of the environments share."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import deepracer  # noqa: F401 (registers the environment)
import gymnasium as gym

#: A small agent: one camera, the default five actions.
AGENT = {"sensor": ["FRONT_FACING_CAMERA"]}
CONTINUOUS = AGENT | {
    "action_space_type": "continuous",
    "action_space": {"steering_angle": {"low": -30.0, "high": 30.0}, "speed": {"low": 0.5, "high": 2.0}},
}
#: Always from the start line, always forward.
FIXED = {"CHANGE_START_POSITION": False, "ALTERNATE_DRIVING_DIRECTION": False}

LEFT, STRAIGHT, RIGHT = 0, 2, 4


def make(**arguments: Any) -> gym.Env:
    """Make an environment with the small agent."""
    return gym.make("deepracer-v0", **({"agent_config": AGENT} | arguments))


def make_vec(num_envs: int, **arguments: Any) -> gym.vector.VectorEnv:
    """Make a native vector environment with the small agent."""
    arguments = {"agent_config": AGENT} | arguments
    return gym.make_vec("deepracer-v0", num_envs=num_envs, vectorization_mode="vector_entry_point", **arguments)


def start_python(program: str, folder: Path, **environment: str) -> subprocess.Popen:
    """Start a Python program that registers its simulators where `folder` says."""
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        env=os.environ | {"TMPDIR": str(folder)} | environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_python(program: str, folder: Path, **environment: str) -> str:
    """Run a Python program to its end and return what it printed."""
    process = start_python(program, folder, **environment)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, f"exit code {process.returncode}\n{output}\n{errors}"
    return output


def look_ahead(params: dict[str, Any]) -> int:
    """Drive along the centre line: choose the action that turns towards the next waypoints."""
    import math

    waypoints, (_, ahead) = params["waypoints"], params["closest_waypoints"]
    target = waypoints[(ahead + 2) % len(waypoints)]
    wanted = math.degrees(math.atan2(target[1] - params["y"], target[0] - params["x"]))
    error = (wanted - params["heading"] + 180) % 360 - 180
    return min(range(5), key=lambda index: abs(error - (30, 15, 0, -15, -30)[index]))
