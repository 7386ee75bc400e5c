"""What stands between environments and simulators."""

from deepracer.service import identity, manager, validate

__all__ = ["identity", "manager", "validate"]
