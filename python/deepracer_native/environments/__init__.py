"""Gymnasium environments: ``deepracer-v0``, one race or many.

| question | file |
|---|---|
| What does ``step`` return? | ``environment.py``, ``vector.py`` |
| Which settings are legal? | ``checks.py``, ``track_keys.py``, ``spaces.py`` |
| What are the defaults? | ``defaults.py`` and the files it reads |
| Which rewards are built in? | ``rewards.py`` |
| When is a simulator made, kept, thrown away? | ``manager.py`` |
| How do other processes know of it? | ``registry.py``, ``clean.py`` |
"""

import gymnasium

ID = "deepracer-v0"


def register() -> None:
    """Make ``gymnasium.make("deepracer-v0")`` and ``gymnasium.make_vec("deepracer-v0", …)`` work."""
    if ID not in gymnasium.registry:
        gymnasium.register(
            ID,
            entry_point="deepracer_native.environments.environment:DeepracerGymEnv",
            vector_entry_point="deepracer_native.environments.vector:DeepracerVectorEnv",
        )
