"""The environments; importing this registers ``deepracer-v0`` too."""

from deepracer_native.environments import register
from deepracer_native.environments.environment import DeepracerGymEnv
from deepracer_native.environments.vector import DeepracerVectorEnv

from deepracer.envs import utils

__all__ = ["DeepracerGymEnv", "DeepracerVectorEnv", "utils"]

register()
