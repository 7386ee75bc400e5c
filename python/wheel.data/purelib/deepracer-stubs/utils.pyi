"""How an episode ended, from its status."""

from deepracer_native.environments.endings import terminated_check as terminated_check
from deepracer_native.environments.endings import truncated_check as truncated_check
