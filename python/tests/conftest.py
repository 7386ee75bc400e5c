"""Runs the installed commands in racing folders whose names have blanks and an accent."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

SCRIPTS = Path(sys.executable).parent

GOOD_REWARD = "def reward_function(params):\n    return 1.0\n"

# A model small enough to train in seconds: few, short episodes.
SMALL_HYPERPARAMETERS = """{
  "batch_size": 32, "num_epochs": 2, "num_episodes_between_training": 2, "lr": 0.0003,
  "term_cond_max_episodes": 100000
}
"""


class Racing:
    """A racing folder and the commands in it."""

    def __init__(self, folder: Path):
        """Make nothing yet; `dr("init")` does."""
        self.folder = folder
        self.bucket = folder / "data" / "s3" / "bucket"
        self.reward = folder / "custom_files" / "reward_function.py"

    def command(self, name: str, *arguments: str) -> list[str]:
        """Return the words of a command: the installed script and its arguments."""
        return [str(SCRIPTS / f"dr-{name}"), *arguments]

    def dr(self, name: str, *arguments: str, code: int | None = 0, **options) -> subprocess.CompletedProcess:
        """Run a command to its end and check its exit code."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("DR_")}
        environment |= options.pop("env", {})
        done = subprocess.run(
            self.command(name, *arguments),
            cwd=options.pop("cwd", self.folder),
            env=environment,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=options.pop("timeout", 120),
            **options,
        )
        if code is not None:
            assert done.returncode == code, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def write_reward(self, text: str) -> None:
        """Replace the reward function, and upload it."""
        self.reward.write_text(text, encoding="utf-8")
        self.dr("upload-custom-files")

    def set(self, **settings: str) -> None:
        """Append settings to run.env."""
        with (self.folder / "run.env").open("a", encoding="utf-8") as file:
            file.writelines(f"{key}='{value}'\n" for key, value in settings.items())


@pytest.fixture
def racing(tmp_path: Path) -> Racing:
    """A fresh racing folder with uploaded custom files."""
    return make_racing(tmp_path / "my racing folder é")


def make_racing(folder: Path) -> Racing:
    """Make a racing folder with a small model and uploaded custom files."""
    folder.mkdir(parents=True)
    racing = Racing(folder)
    racing.dr("init")
    (folder / "custom_files" / "hyperparameters.json").write_text(SMALL_HYPERPARAMETERS)
    env = folder / "run.env"
    text = env.read_text()
    # Short evaluations: one lap each, over at the first mistake.
    for key, value in [
        ("DR_TRAIN_MIN_EVAL_TRIALS", "1"),
        ("DR_EVAL_IS_CONTINUOUS", "False"),
        ("DR_EVAL_MAX_RESETS", "0"),
    ]:
        text = re.sub(rf"(?m)^{key}=.*$", f"{key}={value}", text)
    env.write_text(text)
    racing.dr("upload-custom-files")
    return racing


@pytest.fixture(scope="session")
def baked_world():
    """Keep the default world in memory, so that tests do not wait for it again and again."""
    import deepracer
    from environments import make

    env = make()
    # The races stay when the environment is closed: nobody else counts them.
    races = env.unwrapped._simulator._races
    env.close()
    yield races
    deepracer.shutdown_all()


@pytest.fixture
def simulators(tmp_path_factory, monkeypatch, baked_world):
    """No simulators of this process before and after; their registrations lie in the folder this yields."""
    import deepracer

    folder = tmp_path_factory.mktemp("registrations")
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    deepracer.shutdown_all()
    yield folder
    deepracer.shutdown_all()
    monkeypatch.undo()
    tempfile.tempdir = None
