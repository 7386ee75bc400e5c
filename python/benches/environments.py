"""How fast the Gymnasium environments are: ``python environments.py`` prints a table in Markdown.

Rates are agent steps per second of wall clock, observations and infos included; a step is 1/15 s of simulated time.
Each rate is the median of several runs; what neighbours take away shows in the range, and hardly in the steps per
processor second, summed over cores. Start-up and memory are measured in processes of their own. Use an installed
release wheel (``make install``) and an idle machine.
"""

import json
import os
import statistics
import subprocess
import sys
import textwrap
import time

CAMERA = {"sensor": ["FRONT_FACING_CAMERA"]}
NUM_RUNS = 5
RUN_S = 2.0


def in_a_process(program: str) -> dict:
    """Run a program that prints JSON."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


STARTS = """
    import json, time
    import gymnasium as gym, deepracer
    agent = {"sensor": ["FRONT_FACING_CAMERA"]}
    times = []
    for _ in range(3):
        begun = time.perf_counter()
        env = gym.make("deepracer-v0", agent_config=agent)
        env.reset(seed=1)
        times.append(time.perf_counter() - begun)
    print(json.dumps(times))
"""

MEMORY = """
    import json, os
    os.environ["DEEPRACER_MAX_ENVS"] = "16"
    import gymnasium as gym, deepracer
    def resident_mb():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    def make(world):
        env = gym.make("deepracer-v0", agent_config={"sensor": ["FRONT_FACING_CAMERA"]}, world_name=world)
        env.reset(seed=1)
        return env
    bare = resident_mb()
    envs = [make("reInvent2019_wide")]
    first = resident_mb()
    envs += [make("reInvent2019_wide") for _ in range(9)]
    print(json.dumps([bare, first - bare, (resident_mb() - first) / 9]))
"""


def rate(step, num_races: int) -> tuple[float, float, float, float]:
    """Median, slowest and fastest steps per second of calls that step so many races; steps per processor second."""
    step()
    rates, busy_rates = [], []
    for _ in range(NUM_RUNS):
        num_calls, begun, busy = 0, time.perf_counter(), time.process_time()
        while time.perf_counter() - begun < RUN_S:
            step()
            num_calls += 1
        rates.append(num_calls * num_races / (time.perf_counter() - begun))
        busy_rates.append(num_calls * num_races / (time.process_time() - busy))
    return statistics.median(rates), min(rates), max(rates), statistics.median(busy_rates)


def single(**arguments):
    """Return a call that steps one environment and resets it where it ends."""
    import gymnasium as gym

    env = gym.make("deepracer-v0", **({"agent_config": CAMERA} | arguments))
    env.reset(seed=1)
    actions = [2, 1, 2, 3]
    count = 0

    def step():
        nonlocal count
        count += 1
        *_, terminated, truncated, _ = env.step(actions[count % 4])
        if terminated or truncated:
            env.reset()

    return step


def many(num_envs: int, **arguments):
    """Return a call that steps a native vector environment."""
    import deepracer
    import numpy as np

    envs = deepracer.make_vec(num_envs, **({"agent_config": CAMERA} | arguments))
    envs.reset(seed=1)
    actions = [np.full(num_envs, action) for action in (2, 1, 2, 3)]
    count = 0

    def step():
        nonlocal count
        count += 1
        envs.step(actions[count % 4])

    return step


def python_reward(params):
    """Judge as many of the community's functions do."""
    reward = 1e-3
    if params["all_wheels_on_track"] and params["distance_from_center"] < 0.5 * params["track_width"]:
        reward = 1.0 - params["distance_from_center"] / params["track_width"]
    return reward + params["progress"] / params["steps"]


CASES = [
    ("one environment, front camera, built-in reward", 5_000, 1, 1, lambda: single()),
    ("one environment, stereo cameras and lidar", None, 1, 1, lambda: single(agent_config=None)),
    ("one environment, front camera, quality fast", None, 1, 1, lambda: single(quality="fast")),
    ("one environment, Python reward", None, 1, 1, lambda: single(reward_function=python_reward)),
    ("one environment, state vector", None, 1, 1, lambda: single(observe="state")),
    ("64 races, front camera, built-in reward", 20_000, 2, 64, lambda: many(64)),
    ("64 races, stereo cameras and lidar", None, 2, 64, lambda: many(64, agent_config=None)),
    ("64 races, quality fast", None, 2, 64, lambda: many(64, quality="fast")),
    ("64 races, Python reward", 12_000, 2, 64, lambda: many(64, reward_function=python_reward)),
    ("64 races, same-step autoreset", None, 2, 64, lambda: many(64, autoreset_mode="SameStep")),
    ("64 races, arrays reused (copy=False)", None, 2, 64, lambda: many(64, copy=False)),
    ("1,024 races, front camera", None, 2, 1024, lambda: many(1024)),
    ("1,024 races, state vector", 700_000, 2, 1024, lambda: many(1024, observe="state")),
    (
        "1,024 races, state vector, Python reward",
        None,
        2,
        1024,
        lambda: many(1024, observe="state", reward_function=python_reward),
    ),
]


def main() -> None:
    """Print the tables."""
    import deepracer

    starts = sorted(in_a_process(STARTS)[0] for _ in range(NUM_RUNS))
    seconds = [in_a_process(STARTS)[1] for _ in range(NUM_RUNS)]
    bare, first, further = in_a_process(MEMORY)
    start_ms, second_ms = 1000 * statistics.median(starts), 1000 * statistics.median(seconds)
    print("| | measured | goal |\n|---|---|---|")
    print(f"| `gym.make` to the first observation, `reInvent2019_wide` | {start_ms:.0f} ms | 300 ms |")
    print(f"| the second environment | {second_ms:.1f} ms | 20 ms |")
    print(f"| memory of the process before, with the imports | {bare:.0f} MB | |")
    print(f"| memory of the first environment | {first:.0f} MB | |")
    print(f"| memory of each further one | {further:.1f} MB | 20 MB |")
    print()
    print("| steps/s | cores | median | range | per processor second | goal |\n|---|---|---|---|---|---|")
    all_cores = sorted(os.sched_getaffinity(0))
    for name, goal, num_cores, num_races, prepare in CASES:
        os.sched_setaffinity(0, all_cores[:num_cores])
        middle, low, high, busy = rate(prepare(), num_races)
        shown = f"{goal:,}" if goal else ""
        print(f"| {name} | {num_cores} | {middle:,.0f} | {low:,.0f}–{high:,.0f} | {busy:,.0f} | {shown} |", flush=True)
        deepracer.shutdown_all()


if __name__ == "__main__":
    main()
