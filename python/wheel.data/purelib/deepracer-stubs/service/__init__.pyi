"""What stands between environments and simulators."""

from deepracer.service import identity as identity
from deepracer.service import manager as manager
from deepracer.service import validate as validate
