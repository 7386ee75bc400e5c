"""The built-in reward functions, as functions of ``params``; by name they run inside native vector environments."""

from deepracer_native.environments.rewards import BUILT_IN as BUILT_IN
from deepracer_native.environments.rewards import center_line as center_line
from deepracer_native.environments.rewards import progress as progress
from deepracer_native.environments.rewards import speed as speed
