"""A race behind a server, as environments use it."""

from deepracer_native.environments.client import WireSimulator as DeepracerGymAdapter

__all__ = ["DeepracerGymAdapter"]
