"""A long training in a temporary racing folder; checks that memory and speed stay flat.

`SOAK_MINUTES=60 make soak`. Prints a line every ten seconds and exits with 1 when memory grows or speed falls.
"""

import json
import os
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path

from conftest import SCRIPTS, Racing

# What may change between the second quarter of the run and the last one.
MOST_GROWTH = 1.05
LEAST_SPEED = 0.90


def resident_mb(pid: int) -> float:
    """Memory of a process in MB; 0 when it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return 0.0
    return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) / 1024


def main(minutes: float) -> int:
    """Train, watch, compare."""
    with tempfile.TemporaryDirectory(prefix="soak of deepracer ") as folder:
        racing = Racing(Path(folder))
        racing.dr("init")
        racing.dr("upload-custom-files")
        racing.dr("start-training", "-q", "--set", f"DR_TRAIN_STOP_MINUTES={minutes}")
        run = json.loads(racing.dr("summary", "--json").stdout)["runs"][0]
        log = Path(run["logs"]) / "sagemaker.log"
        samples = []
        while (memory := resident_mb(run["pid"])) > 0.0:
            speeds = [int(speed) for speed in re.findall(r"steps at (\d+)/s", log.read_text())]
            samples.append((memory, speeds[-1] if speeds else 0))
            print(f"{time.strftime('%H:%M:%S')}  {memory:7.1f} MB  {samples[-1][1]:6d} steps/s", flush=True)
            time.sleep(10)
    if len(samples) < 8:
        print(f"only {len(samples)} samples: the run ended early", file=sys.stderr)
        return 1
    quarter = len(samples) // 4
    early, late = samples[quarter : 2 * quarter], samples[-quarter:]
    growth, speed = (statistics.median(s[i] for s in late) / statistics.median(s[i] for s in early) for i in (0, 1))
    print(f"memory x {growth:.3f} (at most {MOST_GROWTH}), speed x {speed:.3f} (at least {LEAST_SPEED})")
    return int(growth > MOST_GROWTH or speed < LEAST_SPEED)


if __name__ == "__main__":
    assert (SCRIPTS / "dr-init").is_file(), "run it with the interpreter of .venv: make soak"
    sys.exit(main(float(os.environ.get("SOAK_MINUTES", "10"))))
