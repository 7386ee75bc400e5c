"""``python -m deepracer.serve``: one race behind a server that speaks the container-based simulator's protocol."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from deepracer_native.environments import registry, rewards, wire
from deepracer_native.environments.checks import (
    QUALITIES,
    TIME_LIMIT_S,
    RaceConfiguration,
    race_configuration,
)
from deepracer_native.environments.client import GYM_PORT
from deepracer_native.environments.defaults import resolve_agent_config, resolve_track_config
from deepracer_native.environments.manager import SimulationManager
from deepracer_native.environments.native_simulator import Moment, NativeSimulator
from deepracer_native.environments.spaces import DISCRETE, action_space_type

DEFAULT_PORT = 8888
AGENT_PARAMS = "DEEPRACER_AGENT_PARAMS"
ENVIRONMENT_PARAMS = "DEEPRACER_ENVIRONMENT_PARAMS"
EVALUATION = "EVALUATION"
EVAL_WORLD_NAME = "EVAL_WORLD_NAME"
ENV_ID = "ENV_ID"

WRONG_USE, FAILED = 2, 3
#: How often the server looks whether it is to end, in milliseconds.
GLANCE_MS = 200


class Race:
    """A race and the state of its conversation."""

    def __init__(self, configuration: RaceConfiguration, simulator: NativeSimulator) -> None:
        """Begin no episode yet."""
        agent = configuration.agent
        self._is_discrete = action_space_type(agent) == DISCRETE
        self._num_actions = len(agent["action_space"]) if self._is_discrete else 0
        self._simulator = simulator
        self._seed: int | None = int.from_bytes(os.urandom(7), "big")
        self._is_running = False

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return the reply to a message; raises ``ValueError`` or ``TypeError`` for one that means nothing."""
        if "reset" in message:
            wish = message["reset"] or {}
            if wish.get("seed") is not None:
                self._seed = int(wish["seed"])
                if not 0 <= self._seed < 2**64:
                    raise ValueError(f"seed is {self._seed}; legal: 0 or more, below 2 to the power of 64")
            return self._begin(wish.get("options") or {})
        if "action" in message and self._is_running:
            return self._drive(message["action"])
        if "action" in message or "ready" in message:
            return self._begin({})
        raise ValueError(f"the message has the keys {', '.join(map(str, message))}; legal: ready, action, reset")

    def _begin(self, options: dict[str, Any]) -> dict[str, Any]:
        moment = self._simulator.reset(self._seed, options)
        # A seed counts once; then the episodes go on.
        self._seed = None
        self._is_running = True
        return self._reply(moment, 0.0)

    def _drive(self, action: Any) -> dict[str, Any]:
        moment = self._simulator.drive(self._checked(action))
        self._is_running = not (moment.terminated or moment.truncated)
        return self._reply(moment, rewards.center_line(moment.reward_params))

    def _checked(self, action: Any) -> Any:
        if self._is_discrete:
            index = int(action) if isinstance(action, int | np.integer) else -1
            if not 0 <= index < self._num_actions:
                raise ValueError(f"the action {action!r} is infeasible; legal: 0 to {self._num_actions - 1}")
            return index
        values = np.asarray(action, np.float64)
        if values.shape != (2,) or np.isnan(values).any():
            raise ValueError(f"the action {action!r} is infeasible; legal: two numbers from -1 to 1")
        return tuple(np.clip(values, -1.0, 1.0).tolist())

    @staticmethod
    def _reply(moment: Moment, reward: float) -> dict[str, Any]:
        info = {
            "reward_params": moment.reward_params,
            "episode_status": moment.episode_status,
            "goal": None,
        }
        return {
            "_next_state": wire.to_wire(moment.observation),
            "_reward": reward,
            "_game_over": moment.terminated or moment.truncated,
            "_goal": None,
            "info": info,
            wire.SERVER: wire.SERVER_NAME,
        }


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    made = argparse.ArgumentParser(
        prog="python -m deepracer.serve",
        description="Race behind a server that environments of the container-based package, and ours with "
        "manage_container=False, connect to. Whoever reaches the port drives: keep it on a trusted network.",
    )
    made.add_argument("--port", type=int, help=f"port to listen on (GYM_PORT, else {DEFAULT_PORT})")
    made.add_argument("--host", default="127.0.0.1", help="address to listen on; 0.0.0.0 is all (default: %(default)s)")
    made.add_argument("--agent-config", help=f"JSON file of the agent (or {AGENT_PARAMS}, JSON text)")
    made.add_argument("--track-config", help=f"YAML or JSON file of the track (or {ENVIRONMENT_PARAMS}, JSON text)")
    made.add_argument("--world-name", help="overrides WORLD_NAME")
    made.add_argument("--evaluation", action="store_true", help="always start at the same place (or EVALUATION)")
    made.add_argument("--quality", choices=QUALITIES, default="standard", help="work per picture")
    made.add_argument(
        "--time-limit", type=float, default=TIME_LIMIT_S, metavar="SECONDS", help="simulated (default: %(default)s)"
    )
    return made


def from_environment(name: str) -> dict[str, Any] | None:
    """Return the configuration in a variable of the environment, JSON text."""
    text = os.environ.get(name)
    if not text:
        return None
    try:
        content = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{name} is not JSON: {error}") from error
    if not isinstance(content, dict):
        raise ValueError(f"{name} must be a map")
    return content


def configured(arguments: argparse.Namespace) -> tuple[RaceConfiguration, int]:
    """Return what to race, and on which port."""
    agent = resolve_agent_config(arguments.agent_config or from_environment(AGENT_PARAMS))
    track = resolve_track_config(arguments.track_config or from_environment(ENVIRONMENT_PARAMS))
    evaluation = arguments.evaluation or os.environ.get(EVALUATION, "").strip().lower() == "true"
    world = arguments.world_name or (os.environ.get(EVAL_WORLD_NAME) if evaluation else None)
    port = arguments.port
    if port is None:
        text = os.environ.get(GYM_PORT, str(DEFAULT_PORT))
        if not text.isascii() or not text.isdigit():
            raise ValueError(f"{GYM_PORT} is {text!r}; legal: a port")
        port = int(text)
    if not 0 <= port < 65536:
        raise ValueError(f"the port is {port}; legal: 1 to 65535, or 0 for any")
    configuration = race_configuration(agent, track, world, evaluation, arguments.quality, arguments.time_limit)
    return configuration, port


def main(arguments: list[str] | None = None) -> int:
    """Serve until told to end by SIGINT or SIGTERM; return the exit code."""
    chosen = parser().parse_args(arguments)
    warnings.showwarning = lambda message, *_: print(f"warning: {message}", file=sys.stderr)
    try:
        configuration, port = configured(chosen)
        zmq, _ = wire.libraries()
    except (OSError, ImportError, TypeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return WRONG_USE
    should_end = False

    def end(*_: Any) -> None:
        nonlocal should_end
        should_end = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    context = zmq.Context()
    socket = context.socket(zmq.REP)
    socket.setsockopt(zmq.LINGER, 0)
    try:
        socket.bind(f"tcp://{chosen.host}:{port}")
    except zmq.ZMQError as error:
        print(f"error: cannot listen on {chosen.host}:{port}: {error}; choose another --port", file=sys.stderr)
        context.destroy(0)
        return FAILED
    port = int(socket.getsockopt_string(zmq.LAST_ENDPOINT).rsplit(":", 1)[1])
    manager = SimulationManager.instance()
    try:
        if os.environ.get(ENV_ID):
            # The environment that started this container has registered it.
            simulator = NativeSimulator(configuration, False)
        else:
            handle = manager.acquire(
                lambda _: NativeSimulator(configuration, False),
                fingerprint="",
                world=configuration.world,
                backend="serve",
            )
            handle.registration = registry.update(handle.registration, port=port)
            simulator = handle.simulator
        race = Race(configuration, simulator)
        print(f"{wire.READY_LINE} on port {port}: {configuration.world}", flush=True)
        while not should_end:
            if socket.poll(GLANCE_MS):
                socket.send(reply_to(race, socket.recv()))
    except (OSError, RuntimeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return FAILED
    finally:
        manager.shutdown_all()
        context.destroy(0)
    return 0


def reply_to(race: Race, frame: bytes) -> bytes:
    """Return the reply to what a client sent; it says so when that meant nothing."""
    try:
        return wire.pack(race.answer(wire.unpack(frame)))
    except Exception as error:
        # Whatever a client sends, the server goes on.
        print(f"warning: a client's message was refused: {error}", file=sys.stderr, flush=True)
        return wire.pack({wire.ERROR: str(error), wire.SERVER: wire.SERVER_NAME})
