"""The page about Gymnasium: its programs run, its tables are what the code says."""

import re
from importlib.util import find_spec
from pathlib import Path

import gymnasium as gym
import pytest
from deepracer_native.environments import reference
from deepracer_native.environments.environment import DeepracerGymEnv
from deepracer_native.environments.vector import DeepracerVectorEnv

PAGE = Path(__file__).parents[2] / "docs" / "src" / "gymnasium.md"
BLOCK = re.compile(r"(?:<!-- needs (\w+) -->\n)?```python\n(.*?)```", re.DOTALL)


def test_its_tables_are_what_the_code_says():
    page = PAGE.read_text(encoding="utf-8")
    assert reference.with_tables(page) == page, "run python -m deepracer_native.environments.reference on the page"


def test_its_programs_run_one_after_the_other(simulators, monkeypatch):
    monkeypatch.setenv("DEEPRACER_MAX_ENVS", "8")
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert len(blocks) >= 7
    names = {}
    for needed, block in blocks:
        if not needed or find_spec(needed):
            exec(compile(block, f"{PAGE.name}: {block[:40]!r}", "exec"), names)


@pytest.mark.parametrize("made", [DeepracerGymEnv, DeepracerVectorEnv])
def test_it_names_every_argument(made):
    import inspect

    page = PAGE.read_text(encoding="utf-8")
    for argument in inspect.signature(made.__init__).parameters:
        assert argument == "self" or f"`{argument}`" in page or f"{argument}=" in page, argument


def test_the_documented_calls_of_the_original_work(simulators):
    """Every call of the original's page on managing environments."""
    import deepracer
    from gymnasium.vector import SyncVectorEnv

    def make_environment():
        return gym.make("deepracer-v0", agent_config={"sensor": ["FRONT_FACING_CAMERA"]})

    env = gym.make("deepracer-v0", cache=True, agent_config={"sensor": ["FRONT_FACING_CAMERA"]})
    assert len(deepracer.running()) == 1
    env.close()
    assert len(deepracer.running()) == 1
    envs = SyncVectorEnv([make_environment for _ in range(3)])
    envs.reset(seed=1)
    deepracer.shutdown_all()
    assert deepracer.running() == []
    envs.close()
