"""The built-in reward functions, as functions of ``params``; by name they run inside native vector environments."""

from deepracer_native.environments.rewards import BUILT_IN, center_line, progress, speed

__all__ = ["BUILT_IN", "center_line", "progress", "speed"]
