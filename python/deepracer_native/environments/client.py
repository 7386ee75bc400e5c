"""A simulator behind a server: ours (``python -m deepracer.serve``) or the original's."""

from __future__ import annotations

import os
import time
import warnings
from typing import Any

import numpy as np
from gymnasium import error

from deepracer_native.environments import wire
from deepracer_native.environments.endings import terminated_check, truncated_check
from deepracer_native.environments.identity import string_to_port
from deepracer_native.environments.native_simulator import Moment
from deepracer_native.environments.registry import current_user

#: How long the first reply may take: a container of the original needs about a minute to start.
FIRST_REPLY_S = 500.0
#: How long any other may take.
REPLY_S = 100.0
#: After this long without a first reply, a warning says what is being waited for.
SILENCE_S = 5.0
#: More motionless steps than this a server of the original never takes to reach step 1.
MOST_DUMMIES = 200_000
GYM_PORT = "GYM_PORT"


def default_port() -> int:
    """Return the port to connect to when none is given: ``GYM_PORT``, else one that follows from the user's name."""
    try:
        return int(os.environ[GYM_PORT])
    except (KeyError, ValueError):
        return string_to_port(current_user())


class DeepracerClientZMQ:
    """One end of a connection: sends a message, waits for the reply."""

    def __init__(self, host: str, port: int) -> None:
        """Open nothing yet."""
        self._zmq, _ = wire.libraries()
        self.address = f"tcp://{host}:{port}"
        self._context: Any = None
        self._socket: Any = None
        self._has_reply = False

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """Send a message and return the reply.

        Raises ``TimeoutError`` when there is none in time, and ``RuntimeError`` when it says that something failed.
        """
        zmq = self._zmq
        if self._socket is None:
            self._context = zmq.Context()
            self._socket = self._context.socket(zmq.REQ)
            self._socket.setsockopt(zmq.LINGER, 0)
            self._socket.connect(self.address)
        self._socket.send(wire.pack(message))
        self._wait(REPLY_S if self._has_reply else FIRST_REPLY_S)
        reply = wire.unpack(self._socket.recv())
        self._has_reply = True
        if wire.ERROR in reply:
            raise RuntimeError(f"the simulator at {self.address} says: {reply[wire.ERROR]}")
        return reply

    def _wait(self, limit_s: float) -> None:
        deadline = time.monotonic() + limit_s
        if not self._has_reply and not self._socket.poll(SILENCE_S * 1000):
            warnings.warn(
                f"nothing answers at {self.address} yet, waiting up to {limit_s:.0f} s; is a server running there? "
                "`python -m deepracer.serve --port PORT` starts one",
                UserWarning,
                stacklevel=2,
            )
        # In short spells, so that Ctrl-C is heard.
        while not self._socket.poll(500):
            if time.monotonic() > deadline:
                # A request without a reply leaves the socket unusable.
                self.close()
                raise TimeoutError(f"the simulator at {self.address} gave no reply within {limit_s:.0f} s")

    def close(self) -> None:
        """Close the connection; the next message opens another."""
        if self._context is not None:
            self._socket.close(0)
            self._context.term()
            self._socket = self._context = None
        self._has_reply = False


class WireSimulator:
    """A race behind a server."""

    def __init__(self, host: str, port: int | None, is_discrete: bool, sensors: list[str]) -> None:
        """Connect with the first reset."""
        self._client = DeepracerClientZMQ(host, default_port() if port is None else port)
        self._dummy: Any = 0 if is_discrete else np.ones(2)
        self._sensors = sensors
        self._reply: dict[str, Any] | None = None
        self._is_over = False
        self._closed = False
        self._has_warned = False

    def reset(self, seed: int | None, options: dict[str, Any]) -> Moment:
        """Begin an episode."""
        self._expect_open()
        is_fresh = self._reply is None
        if is_fresh:
            self._ask({"ready": 1})
        if self._reply.get(wire.SERVER) == wire.SERVER_NAME:
            self._ask({"reset": {"seed": seed, "options": options}})
        else:
            self._refuse_what_servers_of_the_original_cannot(seed, options)
            self._play_on(is_fresh)
        self._is_over = False
        return self._moment(is_start=True)

    def _ask(self, message: dict[str, Any]) -> None:
        try:
            self._reply = self._client.ask(message)
        except TimeoutError:
            # The connection is lost, and with it the episode.
            self._reply = None
            raise

    def _refuse_what_servers_of_the_original_cannot(self, seed: int | None, options: dict[str, Any]) -> None:
        if options:
            raise ValueError(f"options is {options!r}, but the server at {self._client.address} takes none")
        if seed is not None and not self._has_warned:
            self._has_warned = True
            warnings.warn(
                f"the server at {self._client.address} takes no seeds: equal seeds do not give equal episodes",
                UserWarning,
                stacklevel=4,
            )

    def _play_on(self, is_fresh: bool) -> None:
        """Bring a server of the original to the first step of an episode, which it reaches by motionless steps."""
        if not is_fresh and not self._is_over:
            self._send_dummies_until(lambda: bool(self._reply["_game_over"]))
            self._is_over = True
        if self._is_over:
            self._ask({"action": self._dummy})
        self._send_dummies_until(lambda: self._reply["info"]["reward_params"]["steps"] == 1)

    def _send_dummies_until(self, is_reached: Any) -> None:
        for _ in range(MOST_DUMMIES):
            if is_reached():
                return
            self._ask({"action": self._dummy})
        raise RuntimeError(f"the simulator at {self._client.address} begins no episode; restart it")

    def drive(self, action: Any) -> Moment:
        """Drive one step."""
        self._expect_open()
        self._ask({"action": action if isinstance(action, int) else np.array(action, np.float64)})
        return self._moment(is_start=False)

    def _moment(self, is_start: bool) -> Moment:
        reply = self._reply
        info, state = reply.get("info"), reply.get("_next_state")
        if not isinstance(info, dict) or "reward_params" not in info or not isinstance(state, dict):
            raise RuntimeError(f"the simulator at {self._client.address} sent no state; restart it")
        missing = [sensor for sensor in self._sensors if sensor not in state]
        if missing:
            raise RuntimeError(
                f"the simulator at {self._client.address} has the sensors {', '.join(state)}, not "
                f"{', '.join(missing)}; give agent_config the sensors that the server was started with"
            )
        observation = wire.from_wire({sensor: state[sensor] for sensor in self._sensors})
        status = {name: bool(value) for name, value in info.get("episode_status", {}).items()}
        self._is_over = bool(reply["_game_over"]) and not is_start
        terminated = terminated_check(status, self._is_over)
        truncated = truncated_check(status, self._is_over)
        return Moment(observation, dict(info["reward_params"]), status, terminated, truncated)

    def picture(self) -> dict[str, np.ndarray]:
        """Return what the sensors saw last."""
        return wire.from_wire({sensor: self._reply["_next_state"][sensor] for sensor in self._sensors})

    def rest(self) -> bool:
        """Let go of the connection until somebody else wants the race; whether that is possible."""
        if self._closed:
            return False
        self._client.close()
        self._reply = None
        return True

    def wake(self) -> bool:
        """Be as new for somebody else; whether that is possible."""
        return not self._closed

    def close(self) -> None:
        """Close the connection. The server goes on."""
        self._closed = True
        self._client.close()

    def _expect_open(self) -> None:
        if self._closed:
            raise error.ClosedEnvironmentError("the connection of this environment is closed; make another one")
