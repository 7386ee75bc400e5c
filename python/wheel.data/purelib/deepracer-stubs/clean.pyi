"""``python -m deepracer.clean``: remove what dead processes left behind."""

from deepracer_native.environments.clean import main as main
