"""How long a first lap takes: the lap preset trained and evaluated with several seeds.

``python first_lap.py [NUM_SEEDS]`` prints a table in Markdown: wall-clock seconds from the call of
``dr-start-training`` until an evaluation completes the lap, what that took, the three laps of the evaluation after it,
and the largest memory of the training process (VmHWM, Linux).
"""

import json
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

SCRIPTS = Path(sysconfig.get_path("scripts"))


def command(name: str, *arguments: str, folder: Path, seed: int) -> str:
    """Run a command in a racing folder and return what it printed; exit code 1 only tells of a missed goal."""
    environment = {**os.environ, "DR_TRAIN_SEED": str(seed)}
    done = subprocess.run([SCRIPTS / name, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{name} failed with {done.returncode}:\n{done.stderr}")
    return done.stdout


def record(folder: Path) -> dict:
    """The record of the training run."""
    return json.loads((folder / "data/run/deepracer-0.json").read_text())


def largest_memory_mb(pid: int) -> float:
    """The high-water mark of a process, 0 when it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found.group(1)) / 1024 if found else 0.0


def measure(seed: int) -> str:
    """One row of the table."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "lap"
        subprocess.run([SCRIPTS / "dr-init", "--preset", "lap", folder], check=True, capture_output=True)
        command("dr-upload-custom-files", folder=folder, seed=seed)
        begun = time.monotonic()
        command("dr-start-training", "-q", folder=folder, seed=seed)
        drives_s = time.monotonic() - begun
        memory_mb = 0.0
        while isinstance(record(folder)["state"], str):
            memory_mb = max(memory_mb, largest_memory_mb(record(folder)["process"]["pid"]))
            time.sleep(0.2)
        trained_s = time.monotonic() - begun
        ended = next(iter(record(folder)["state"].values()))["what"]
        found = re.search(r"(\d+) iterations, (\d+) episodes, (\d+) steps", ended)
        counts = found.groups() if found else ("?", "?", "?")
        laps = re.findall(r"^ +\d+ +([\d.]+) s .*Lap complete +(\d+)", evaluation(folder, seed), re.MULTILINE)
        times = ", ".join(lap for lap, _ in laps)
        off_tracks = sum(int(count) for _, count in laps)
        return (
            f"| {seed} | {drives_s:.2f} | {trained_s:.0f} | {counts[0]} | {counts[1]} | {counts[2]} "
            f"| {len(laps)} of 3: {times} | {off_tracks} | {memory_mb:.0f} |"
        )


def evaluation(folder: Path, seed: int) -> str:
    """What the evaluation printed."""
    return command("dr-start-evaluation", folder=folder, seed=seed)


def main() -> None:
    """Measure seed after seed."""
    num_seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print(
        "| seed | drives after, s | laps after, s | iterations | episodes | steps | laps, s | off track | memory, MB |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for seed in range(num_seeds):
        print(measure(seed), flush=True)


if __name__ == "__main__":
    main()
