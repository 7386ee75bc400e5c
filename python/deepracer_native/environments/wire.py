"""The wire protocol of the container-based simulator: what messages look like.

ZeroMQ, request and reply in turns; each message is one msgpack map. Arrays are maps with the byte-string keys that
msgpack-numpy gave them. Both sides are here, so that an environment of the original can drive our simulator, and ours
a simulator of the original.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

#: A server prints a line with this text when it listens.
READY_LINE = "Waiting for gym client"
#: Names a server of this package in its replies, which also takes ``{"reset": {"seed": …, "options": …}}``.
SERVER = "server"
SERVER_NAME = "deepracer_native"
#: Holds the text of an error in a reply of such a server.
ERROR = "error"

#: Types of numbers that are read; others, objects above all, are refused.
_KINDS = "biuf"


def libraries() -> tuple[ModuleType, ModuleType]:
    """Return the modules ``zmq`` and ``msgpack``; raises ``ImportError`` with what to install."""
    try:
        import msgpack
        import zmq
    except ImportError as error:
        raise ImportError(f'talking to a server needs {error.name}: pip install "deepracer[serve]"') from None
    return zmq, msgpack


def pack(message: dict[str, Any]) -> bytes:
    """Return a message as bytes."""
    _, msgpack = libraries()
    return msgpack.packb(message, default=_encode, use_bin_type=True)


def unpack(frame: bytes) -> dict[str, Any]:
    """Return the message in some bytes; raises ``ValueError`` when there is none."""
    _, msgpack = libraries()
    try:
        message = msgpack.unpackb(frame, object_hook=_decode, raw=False, strict_map_key=False)
    except Exception as error:
        raise ValueError(f"not a message of the simulator's protocol: {error}") from error
    if not isinstance(message, dict):
        raise ValueError(f"not a message of the simulator's protocol: a {type(message).__name__} instead of a map")
    return message


def _encode(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return {
            b"nd": True,
            b"type": value.dtype.str,
            b"kind": b"",
            b"shape": value.shape,
            b"data": value.tobytes(),
        }
    if isinstance(value, np.generic):
        return {b"nd": False, b"type": value.dtype.str, b"data": value.tobytes()}
    raise TypeError(f"cannot send a {type(value).__name__}")


def _decode(value: dict[Any, Any]) -> Any:
    if b"nd" not in value:
        return value
    dtype = np.dtype(_text(value[b"type"]))
    if dtype.kind not in _KINDS:
        raise ValueError(f"numbers of type {dtype} are not taken")
    numbers = np.frombuffer(value[b"data"], dtype)
    return numbers.reshape(value[b"shape"]) if value[b"nd"] else numbers[0]


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def to_wire(observation: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return an observation as it travels: pictures have their channels last."""
    return {
        name: np.ascontiguousarray(seen.transpose(1, 2, 0)) if seen.ndim == 3 else seen
        for name, seen in observation.items()
    }


def from_wire(state: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return an observation that travelled, in arrays of its own: pictures have their channels first."""
    return {
        name: np.array(seen.transpose(2, 0, 1) if seen.ndim == 3 else seen, order="C") for name, seen in state.items()
    }
