"""Names and ports of simulators."""

from deepracer_native.environments.identity import (
    Identity,
    free_env_id,
    make_identity,
    port_is_free,
    string_to_port,
)
from deepracer_native.environments.manager import fingerprint
from deepracer_native.environments.registry import current_user

__all__ = [
    "Identity",
    "current_user",
    "fingerprint",
    "free_env_id",
    "make_identity",
    "port_is_free",
    "string_to_port",
]
