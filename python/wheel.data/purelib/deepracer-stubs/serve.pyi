"""``python -m deepracer.serve``: one race behind a server that speaks the container-based simulator's protocol."""

from deepracer_native.environments.serve import main as main
