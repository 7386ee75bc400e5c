"""How an episode ended, from its status."""

from deepracer_native.environments.endings import terminated_check, truncated_check

__all__ = ["terminated_check", "truncated_check"]
