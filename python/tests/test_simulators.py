"""Simulators as resources: counted, kept warm, seen by other processes, and gone when their process is."""

import gc
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
import warnings

import deepracer
import gymnasium as gym
import numpy as np
import pytest
from deepracer.errors import SimulatorStopped, TooManyEnvironments
from deepracer.service.manager import SimulationManager
from environments import AGENT, STRAIGHT, make, make_vec, run_python, start_python

MAKE = """
    import gymnasium as gym, deepracer, sys
    env = gym.make("deepracer-v0", agent_config={"sensor": ["FRONT_FACING_CAMERA"]}, world_name="reinvent_base")
    env.reset(seed=1)
"""


def simulator_of(env):
    return env.unwrapped._handle.simulator


def clean(*arguments, code=0):
    done = subprocess.run(
        [sys.executable, "-m", "deepracer.clean", *arguments], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def wait_for(condition, what):
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.02)


def test_running_lists_what_is_open(simulators):
    assert deepracer.running() == []
    first, second = make(), make(world_name="reinvent_base")
    user = deepracer.service.identity.current_user()
    running = deepracer.running()
    assert running == [f"deepracer-{user}-0", f"deepracer-{user}-1"]
    assert [(each.pid, each.world, each.state, each.num_races) for each in running] == [
        (os.getpid(), "reInvent2019_wide", "live", 1),
        (os.getpid(), "reinvent_base", "live", 1),
    ]
    assert 0 <= running[0].age_s < 60
    assert "reinvent_base, live, process" in running[1].describe()
    first.close()
    first.close()
    assert deepracer.running() == [f"deepracer-{user}-1"]
    third = make()
    assert deepracer.running() == [f"deepracer-{user}-0", f"deepracer-{user}-1"]
    second.close()
    third.close()
    assert deepracer.running() == []


def test_a_warm_simulator_is_reused_as_new(simulators):
    env = make(cache=True)
    fresh = env.reset(seed=2)
    env.step(STRAIGHT)
    simulator = simulator_of(env)
    env.close()
    assert [each.state for each in deepracer.running()] == ["warm"]
    other = make(world_name="reinvent_base")
    assert simulator_of(other) is not simulator
    again = make(reward_function="speed")
    assert simulator_of(again) is simulator
    assert sorted(each.state for each in deepracer.running()) == ["live", "live"]
    same = again.reset(seed=2)
    assert (same[0]["FRONT_FACING_CAMERA"] == fresh[0]["FRONT_FACING_CAMERA"]).all()
    assert same[1] == fresh[1]
    again.close()
    other.close()
    assert deepracer.running() == [], "neither asked to be kept"


def test_close_overrides_the_argument(simulators):
    for env, cache, kept in [(make(), True, 1), (make(cache=True), False, 0)]:
        deepracer.shutdown_all()
        env = make(cache=not cache)
        deepracer.close(env, cache=cache)
        assert len(deepracer.running()) == kept
        env = make(cache=not cache)
        env.unwrapped.close(cache=cache)
        assert len(deepracer.running()) == kept
    deepracer.shutdown_all()
    vector = make_vec(2)
    deepracer.close(vector, cache=True)
    assert [(each.num_races, each.state) for each in deepracer.running()] == [(2, "warm")]
    deepracer.close(gym.vector.SyncVectorEnv([make, make]), cache=True)
    assert len(deepracer.running()) == 3


def test_slots_are_limited_and_warm_simulators_make_room(simulators, monkeypatch):
    monkeypatch.setenv("DEEPRACER_MAX_ENVS", "2")
    first = make(cache=True)
    vector = make_vec(16)
    with pytest.raises(TooManyEnvironments, match=r"all 2 simulator slots are in use.*DEEPRACER_MAX_ENVS"):
        make()
    with pytest.raises(RuntimeError, match="slots are in use"):
        make()
    first.close()
    second = make(world_name="reinvent_base")
    assert sorted(each.num_races for each in deepracer.running()) == [1, 16], "the warm one made room"
    monkeypatch.setenv("DEEPRACER_MAX_ENVS", "3")
    third = make()
    for env in (second, third, vector):
        env.close()
    for text in ("many", "0", "-1", "2.5"):
        monkeypatch.setenv("DEEPRACER_MAX_ENVS", text)
        with pytest.raises(ValueError, match=f"DEEPRACER_MAX_ENVS is '{text}'"):
            make()


def test_a_forgotten_environment_gives_its_slot_back(simulators):
    for cache, left in ((False, 0), (True, 1)):
        env = make(cache=cache)
        env.reset()
        del env
        gc.collect()
        assert len(deepracer.running()) == left


def test_a_failed_start_takes_no_slot(simulators):
    with pytest.raises(ValueError, match="Unknown WORLD_NAME"):
        make(world_name="nowhere")
    assert deepracer.running() == []
    assert SimulationManager.instance().names() == []


def test_shutdown_ends_live_simulators_too(simulators):
    env, vector = make(), make_vec(2)
    env.reset()
    vector.reset()
    deepracer.shutdown_all()
    deepracer.shutdown_all()
    assert deepracer.running() == []
    with pytest.raises(gym.error.ClosedEnvironmentError, match="shut down"):
        env.step(STRAIGHT)
    with pytest.raises(gym.error.ClosedEnvironmentError, match="shut down"):
        vector.step(np.zeros(2, np.int64))
    env.close()
    vector.close()
    deepracer.shutdown_all()


def test_other_processes_are_seen_and_a_killed_one_leaves_nothing(simulators):
    process = start_python(MAKE + "\n    print(deepracer.running(), flush=True)\n    sys.stdin.read()", simulators)
    assert "deepracer-" in process.stdout.readline()
    mine = make()
    running = deepracer.running()
    assert {(each.pid, each.world) for each in running} == {
        (process.pid, "reinvent_base"),
        (os.getpid(), "reInvent2019_wide"),
    }
    assert "left alone" in clean()
    assert len(deepracer.running()) == 2
    os.kill(process.pid, signal.SIGKILL)
    # A process that nobody has waited for yet is gone all the same.
    wait_for(lambda: [each.pid for each in deepracer.running()] == [os.getpid()], "the killed process to be gone")
    leftovers = list(simulators.glob("deepracer-*/simulators/*.json"))
    assert len(leftovers) == 2
    assert "registrations of ended processes: 1 removed" in clean()
    assert "registrations of ended processes: 0 removed" in clean()
    process.communicate()
    mine.close()
    assert list(simulators.glob("deepracer-*/simulators/*.json")) == []
    assert "removed" in clean("--deep")
    assert list(simulators.iterdir()) == []


def test_a_killed_process_is_forgotten_by_the_next_start(simulators):
    process = start_python(MAKE + "\n    print('ready', flush=True)\n    sys.stdin.read()", simulators)
    process.stdout.readline()
    process.kill()
    process.communicate()
    env = make()
    assert deepracer.running() == [env.unwrapped._handle.name]
    assert env.unwrapped._handle.name.endswith("-0"), "the dead one's name is free again"
    env.close()


def test_clean_by_force_stops_the_living(simulators):
    program = (
        MAKE
        + """
    print("ready", flush=True)
    sys.stdin.readline()
    try:
        env.reset()
    except Exception as error:
        print(type(error).__name__, error, flush=True)
    env.close()
    print(deepracer.running(), flush=True)
    """
    )
    process = start_python(program, simulators)
    process.stdout.readline()
    told = clean("--force")
    mine = make()
    assert mine.unwrapped._handle.name.endswith("-0"), "the name is free again"
    mine.reset()
    mine.close()
    assert "simulators of living processes: 1 stopped" in told
    assert "reinvent_base" in told
    assert deepracer.running() == []
    output, errors = process.communicate("go\n", timeout=60)
    assert "SimulatorStopped" in output, errors
    assert "clean --force" in output
    assert output.endswith("[]\n")
    assert [file for file in simulators.glob("deepracer-*/simulators/*") if file.name != ".lock"] == []


def test_a_vector_environment_is_stopped_by_force_too(simulators, monkeypatch):
    from deepracer_native.environments import registry, vector

    monkeypatch.setattr(vector, "STEPS_PER_CHECK", 4)
    envs = make_vec(2)
    envs.reset(seed=1)
    monkeypatch.setattr(registry.Registration, "is_own", lambda registration: False)
    assert len(registry.stop_living()) == 1
    with pytest.raises(SimulatorStopped, match="clean --force"):
        for _ in range(4):
            envs.step(np.zeros(2, np.int64))
    envs.close()


def test_clean_explains_itself(simulators):
    assert "--force" in clean("--help")
    assert "unrecognized arguments" in clean("--all", code=2)
    assert clean().endswith("Done.\n")


def test_damaged_registrations_harm_nobody(simulators):
    env = make()
    folder = next(simulators.glob("deepracer-*/simulators"))
    for name, content in {
        "a": "",
        "b": "{",
        "c": "[]",
        "d": json.dumps({"name": "d"}),
        "e": "x" * 100_000,
        "f": json.dumps({"name": "f", "pid": -1, "started": "", "world": "", "num_races": 1, "since": 0}),
    }.items():
        (folder / f"{name}.json").write_text(content)
    assert deepracer.running() == [env.unwrapped._handle.name]
    clean()
    env.close()


def test_without_a_folder_simulators_work_unseen(simulators, monkeypatch):
    from deepracer_native.environments import registry

    file = simulators / "file"
    file.write_text("")
    monkeypatch.setattr(registry, "_has_warned", False)
    monkeypatch.setattr(registry, "common_folder", lambda: file)
    with pytest.warns(UserWarning, match="other processes do not see"):
        env = make()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        second = make()
    env.reset()
    env.step(STRAIGHT)
    env.close()
    second.close()


def test_a_forked_process_may_go_on_with_what_it_inherited(simulators):
    output = run_python(
        MAKE
        + """
    import os, numpy as np
    vector = deepracer.make_vec(4, agent_config={"sensor": ["FRONT_FACING_CAMERA"]}, world_name="reinvent_base")
    vector.reset(seed=1)
    def drive():
        o, *_ = env.step(2)
        v, *_ = vector.step(np.full(4, 2))
        return o["FRONT_FACING_CAMERA"].sum() + v["FRONT_FACING_CAMERA"].sum()
    pid = os.fork()
    if pid == 0:
        print(drive())
        other = gym.make("deepracer-v0", agent_config={"sensor": ["FRONT_FACING_CAMERA"]}, world_name="Oval_track")
        other.reset()
        print(len(deepracer.running()))
        env.close(); vector.close(); other.close()
        print(len(deepracer.running()), flush=True)
        os._exit(0)
    os.waitpid(pid, 0)
    print(drive())
    print(len(deepracer.running()))
    """,
        simulators,
    )
    child_sum, with_own, after_close, parent_sum, kept = output.split()
    assert child_sum == parent_sum
    assert (with_own, after_close, kept) == ("3", "2", "2")


@pytest.mark.parametrize("context", ["fork", "spawn", "forkserver"])
def test_every_process_of_an_async_vector_environment_has_its_own(simulators, context):
    program = f"""
    import functools, os
    import gymnasium as gym, numpy as np, deepracer

    def make():
        return gym.make("deepracer.envs:deepracer-v0", agent_config={AGENT!r}, world_name="reinvent_base")

    if __name__ == "__main__":
        vector = gym.vector.AsyncVectorEnv([make] * 2, context="{context}")
        observation, _ = vector.reset(seed=1)
        for _ in range(5):
            observation, reward, *_ = vector.step(np.array([2, 2]))
        print(observation["FRONT_FACING_CAMERA"].shape, reward.tolist())
        print(len({{each.pid for each in deepracer.running()}}))
        deepracer.close(vector)
        print(deepracer.running())
    """
    file = simulators / "program.py"
    file.write_text(textwrap.dedent(program))
    done = subprocess.run(
        [sys.executable, str(file)],
        env=os.environ | {"TMPDIR": str(simulators)},
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "(2, 3, 120, 160) [1.0, 1.0]\n2\n[]\n"


def test_memory_does_not_grow_with_resets_and_environments(simulators):
    import resource

    def peak_kb():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    env = make(observe="state")
    for _ in range(2_000):
        env.reset()
    before = peak_kb()
    for _ in range(20_000):
        env.reset()
    env.close()
    for _ in range(50):
        env = make()
        env.reset()
        env.close()
    assert peak_kb() - before < 8_000


def test_stopped_is_an_error_of_its_own():
    assert issubclass(SimulatorStopped, RuntimeError)
