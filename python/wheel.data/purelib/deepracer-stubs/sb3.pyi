"""Native vector environments for Stable-Baselines3."""

from deepracer_native.environments.sb3 import DeepracerVecEnv as DeepracerVecEnv
from deepracer_native.environments.sb3 import make_vec_env as make_vec_env
