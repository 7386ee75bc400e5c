"""deepracer-utils, in an environment of its own, reads what a run has left."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from conftest import make_racing

READER = Path(__file__).with_name("read_with_utils.py")
PYTHON = os.environ.get("DEEPRACER_UTILS_PYTHON", "")


@pytest.mark.skipif(not PYTHON, reason="DEEPRACER_UTILS_PYTHON names no interpreter with deepracer-utils")
def test_the_log_analysis_library_loads_a_finished_run(tmp_path):
    """Training trace, evaluation trace, metrics, hyperparameters, action space."""
    racing = make_racing(tmp_path / "my racing folder")
    racing.dr("start-training", "--set", "DR_TRAIN_STOP_ITERATIONS=2")
    racing.dr("start-evaluation", code=None)
    model = racing.bucket / "rl-deepracer-sagemaker"
    read = subprocess.run([PYTHON, READER, model], capture_output=True, text=True, check=False, timeout=300)
    assert read.returncode == 0, read.stderr
    found = json.loads(read.stdout.splitlines()[-1])
    rows = sum(len(path.read_text().splitlines()) - 1 for path in (model / "training-simtrace").glob("*.csv"))
    assert found["training_rows"] == rows
    assert found["iterations"] == [0, 1]
    assert found["episodes"] == 4
    assert found["evaluation_rows"] > 0
    assert found["actions"] == 5
    assert found["hyperparameters"]["batch_size"] == 32
    assert found["metrics_episodes"] == 4
    # The metrics round each episode's sum to a whole number.
    assert found["total_reward_of_metrics"] == pytest.approx(found["total_reward_of_trace"], abs=0.5 * 4)
