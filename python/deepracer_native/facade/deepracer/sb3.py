"""Native vector environments for Stable-Baselines3."""

from deepracer_native.environments.sb3 import DeepracerVecEnv, make_vec_env

__all__ = ["DeepracerVecEnv", "make_vec_env"]
