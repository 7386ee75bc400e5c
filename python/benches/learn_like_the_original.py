"""Whether a car learns here as it learned in the original: the same files, iteration by iteration.

``python learn_like_the_original.py [NUM_SEEDS]`` trains with the reward function, metadata and hyperparameters of a
published training of the original (20 episodes per iteration, model version 4, ``reinvent_base``), found in the folder
of reference data (``DEEPRACER_SHARED``). It prints a table in Markdown: mean completion of an iteration's episodes,
complete laps, and episodes that failed per minute of driving, there and here.
"""

import csv
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections import defaultdict
from pathlib import Path

SCRIPTS = Path(sysconfig.get_path("scripts"))
SHARED = Path(os.environ.get("DEEPRACER_SHARED", Path(__file__).resolve().parents[3] / "shared"))
RUN = SHARED / "data/traces/2022-07_v4_reinvent_base_drfc1"
EPISODES_PER_ITERATION = 20
STEPS_PER_S = 15

Row = tuple[float, int, float]
"""Mean completion in percent, complete laps, failures per minute."""


def summary(episodes: list[tuple[float, float]]) -> Row:
    """An iteration in figures, from completion (percent) and duration (s) of its episodes."""
    completions = [completion for completion, _ in episodes]
    complete = sum(completion >= 100 for completion in completions)
    minutes = sum(seconds for _, seconds in episodes) / 60
    return sum(completions) / len(completions), complete, (len(episodes) - complete) / minutes


def original() -> dict[int, Row]:
    """The iterations whose traces were published."""
    rows = {}
    for path in RUN.glob("train/*-iteration.csv"):
        episodes = defaultdict(list)
        with path.open() as file:
            for step in csv.DictReader(file):
                episodes[step["episode"]].append(float(step["progress"]))
        rows[int(path.name.split("-")[0])] = summary(
            [(progress[-1], len(progress) / STEPS_PER_S) for progress in episodes.values()]
        )
    return dict(sorted(rows.items()))


def ours(seed: int, num_iterations: int) -> dict[int, Row]:
    """The same training here."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "racing"
        environment = {**os.environ, "DR_TRAIN_SEED": str(seed), "DR_TRAIN_STOP_ITERATIONS": str(num_iterations)}

        def command(name: str, *arguments: str) -> None:
            done = subprocess.run(
                [SCRIPTS / name, *arguments], cwd=folder, env=environment, capture_output=True, text=True
            )
            if done.returncode not in (0, 1):
                sys.exit(f"{name} failed with {done.returncode}:\n{done.stderr}")

        subprocess.run([SCRIPTS / "dr-init", folder], check=True, capture_output=True)
        for name in ["reward_function.py", "model_metadata.json", "hyperparameters.json"]:
            shutil.copy(RUN / name, folder / "custom_files" / name)
        command("dr-upload-custom-files")
        command("dr-start-training", "-w")
        metrics = next(folder.glob("data/s3/*/*/metrics/TrainingMetrics.json"))
        episodes = [
            (float(episode["completion_percentage"]), episode["elapsed_time_in_milliseconds"] / 1000)
            for episode in json.loads(metrics.read_text())["metrics"]
            if episode["phase"] == "training"
        ]
    num_done = len(episodes) // EPISODES_PER_ITERATION
    return {
        index: summary(episodes[index * EPISODES_PER_ITERATION :][:EPISODES_PER_ITERATION]) for index in range(num_done)
    }


def cells(row: Row) -> str:
    """Three cells of the table."""
    return f"{row[0]:.0f} % | {row[1]} | {row[2]:.1f}"


def main() -> None:
    """Compare with one training per seed."""
    if not RUN.is_dir():
        sys.exit(f"skipped: no reference data at {RUN} (set DEEPRACER_SHARED)")
    num_seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    there = original()
    here = [ours(seed, max(there) + 1) for seed in range(num_seeds)]
    seeds = "".join(f" | seed {seed}: completion | laps | failures/min" for seed in range(num_seeds))
    print(f"| iteration | original: completion | laps | failures/min{seeds} |")
    print("|---|" + "---|" * (3 + 3 * num_seeds))
    for iteration, row in there.items():
        print(f"| {iteration} | {cells(row)} | " + " | ".join(cells(run[iteration]) for run in here) + " |")


if __name__ == "__main__":
    main()
