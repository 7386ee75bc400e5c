"""Names and ports of simulators."""

from deepracer_native.environments.identity import Identity as Identity
from deepracer_native.environments.identity import free_env_id as free_env_id
from deepracer_native.environments.identity import make_identity as make_identity
from deepracer_native.environments.identity import port_is_free as port_is_free
from deepracer_native.environments.identity import string_to_port as string_to_port
from deepracer_native.environments.manager import fingerprint as fingerprint
from deepracer_native.environments.registry import current_user as current_user
