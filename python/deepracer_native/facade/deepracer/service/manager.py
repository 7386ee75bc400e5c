"""The simulators of this process."""

from deepracer_native.environments.manager import SimulationManager

__all__ = ["SimulationManager"]
