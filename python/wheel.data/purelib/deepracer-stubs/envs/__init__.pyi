"""The environments; importing this registers ``deepracer-v0`` too."""

from deepracer.envs import utils as utils
from deepracer_native.environments.environment import DeepracerGymEnv as DeepracerGymEnv
from deepracer_native.environments.vector import DeepracerVectorEnv as DeepracerVectorEnv
