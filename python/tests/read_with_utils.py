"""Reads a finished run with deepracer-utils; runs in an environment of its own.

Prints what it found as JSON. `python read_with_utils.py MODEL_FOLDER`
"""

import json
import os
import sys
from pathlib import Path

# The library opens a client for remote storage even to read a local file.
os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")

from deepracer.logs import DeepRacerLog, TrainingMetrics


def main(folder: str) -> None:
    """Load training trace, evaluation trace, worker log and metrics the way the notebooks do."""
    log = DeepRacerLog(model_folder=folder)
    log.load_training_trace()
    training = log.dataframe()
    of_evaluation = DeepRacerLog(model_folder=folder)
    of_evaluation.load_evaluation_trace()
    metrics = TrainingMetrics("bucket", fname=str(Path(folder) / "metrics" / "TrainingMetrics.json")).getTraining()
    found = {
        "training_rows": len(training),
        "training_columns": list(training.columns),
        "iterations": sorted(int(number) for number in training["iteration"].unique()),
        "episodes": int(training["episode"].nunique()),
        "evaluation_rows": len(of_evaluation.dataframe()),
        "hyperparameters": log.hyperparameters(),
        "actions": len(log.action_space()),
        "network": str(log.agent_and_network()["network"]),
        "metrics_episodes": len(metrics),
        "total_reward_of_metrics": float(metrics["reward"].sum()),
        "total_reward_of_trace": float(training["reward"].sum()),
    }
    print(json.dumps(found, default=str))


if __name__ == "__main__":
    main(sys.argv[1])
