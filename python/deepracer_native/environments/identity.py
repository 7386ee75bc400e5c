"""Names and ports of simulators that listen."""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Collection
from dataclasses import dataclass

LOWEST_PORT, HIGHEST_PORT = 1024, 32767


@dataclass(frozen=True)
class Identity:
    """What tells one simulator from another."""

    env_id: int
    name: str
    port: int


def string_to_port(text: str) -> int:
    """Return a port from 1024 to 32767 that follows from a text, the same as in the original."""
    number = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
    return LOWEST_PORT + number % (HIGHEST_PORT - LOWEST_PORT + 1)


def make_identity(user: str, env_id: int) -> Identity:
    """Return name and port of a user's simulator of this number."""
    return Identity(env_id, f"deepracer-{user}-{env_id}", string_to_port(f"{user}_{env_id}"))


def port_is_free(port: int) -> bool:
    """Whether a server could listen on a port of this machine now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError:
            return False
        return True


def free_env_id(user: str, max_envs: int, taken: Collection[int] = ()) -> int | None:
    """Return the first number that is not taken and whose port is free; ``None`` when there is none."""
    for env_id in range(max_envs):
        if env_id not in taken and port_is_free(make_identity(user, env_id).port):
            return env_id
    return None
