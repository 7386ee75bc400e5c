"""Reads a finished run with deepracer-utils; runs in an environment of its own.

Prints what it found as JSON. `python read_with_utils.py MODEL_FOLDER`
"""

import json
import sys

from deepracer.logs import DeepRacerLog, TrainingMetrics  # noqa: F401  (the import itself is part of the check)


def main(folder: str) -> None:
    """Load training trace, evaluation trace and metrics the way the notebooks do."""
    log = DeepRacerLog(model_folder=folder)
    log.load_training_trace()
    training = log.dataframe()
    log.load_evaluation_trace()
    evaluation = log.dataframe()
    found = {
        "training_rows": len(training),
        "training_columns": list(training.columns),
        "iterations": sorted(int(number) for number in training["iteration"].unique()),
        "episodes": int(training["episode"].nunique()),
        "evaluation_rows": len(evaluation),
        "hyperparameters": log.hyperparameters(),
        "actions": len(log.action_space()),
        "network": str(log.agent_and_network()["network"]),
    }
    print(json.dumps(found, default=str))


if __name__ == "__main__":
    main(sys.argv[1])
