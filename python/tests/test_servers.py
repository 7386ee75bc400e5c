"""Simulators behind servers: the wire protocol from both sides, and containers."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import deepracer
import numpy as np
import pytest
from deepracer_native.environments import client, wire
from environments import AGENT, CONTINUOUS, FIXED, LEFT, RIGHT, STRAIGHT, make, run_python, start_python
from gymnasium.utils.env_checker import data_equivalence

msgpack = pytest.importorskip("msgpack")
msgpack_numpy = pytest.importorskip("msgpack_numpy")
zmq = pytest.importorskip("zmq")


class Server:
    """``python -m deepracer.serve`` on a free port."""

    def __init__(self, folder: Path, *arguments: str, **environment: str):
        """Start it, and wait until it listens."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "deepracer.serve", "--port", "0", *arguments],
            env=os.environ | {"TMPDIR": str(folder)} | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        line = self.process.stdout.readline()
        assert wire.READY_LINE in line, self.process.stderr.read()
        self.port = int(line.split("port ")[1].split(":")[0])

    def stop(self, number=signal.SIGTERM):
        """End it; return its exit code and what it wrote to stderr."""
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=30)
        return self.process.returncode, errors


@pytest.fixture
def server(simulators):
    started = Server(simulators, "--world-name", "reinvent_base", **params(AGENT, FIXED))
    yield started
    if started.process.poll() is None:
        started.stop()


def params(agent=None, track=None):
    return {
        "DEEPRACER_AGENT_PARAMS": json.dumps(agent or {}),
        "DEEPRACER_ENVIRONMENT_PARAMS": json.dumps(track or {}),
    }


class OriginalClient:
    """Speaks as the container-based package does, with its own libraries."""

    def __init__(self, port):
        """Connect."""
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.REQ)
        self.socket.setsockopt(zmq.RCVTIMEO, 20_000)
        self.socket.connect(f"tcp://127.0.0.1:{port}")

    def ask(self, message):
        """Send a message, return the reply."""
        self.socket.send(msgpack.packb(message, default=msgpack_numpy.encode))
        return msgpack.unpackb(self.socket.recv(), object_hook=msgpack_numpy.decode)

    def close(self):
        """Disconnect."""
        self.context.destroy(0)


def test_a_client_of_the_original_drives_our_server(server):
    client = OriginalClient(server.port)
    reply = client.ask({"ready": 1})
    assert {"_next_state", "_reward", "_game_over", "_goal", "info"} <= set(reply)
    picture = reply["_next_state"]["FRONT_FACING_CAMERA"]
    assert (picture.shape, picture.dtype) == ((120, 160, 3), np.uint8)
    assert reply["info"]["reward_params"]["steps"] == 1.0
    assert reply["info"]["reward_params"]["waypoints"][0] == reply["info"]["reward_params"]["waypoints"][-1]
    assert (reply["_game_over"], reply["_goal"], reply["info"]["goal"]) == (False, None, None)
    for action in (STRAIGHT, np.int64(LEFT)):
        reply = client.ask({"action": action})
    assert reply["info"]["reward_params"]["steps"] == 3.0
    assert reply["info"]["reward_params"]["steering_angle"] == 30.0
    while not reply["_game_over"]:
        reply = client.ask({"action": RIGHT})
    assert reply["info"]["episode_status"]["off_track"] is True
    steps = reply["info"]["reward_params"]["steps"]
    reply = client.ask({"action": RIGHT})
    assert reply["info"]["reward_params"]["steps"] == 1.0 < steps, "the next episode, whatever the action"
    client.ask({"action": STRAIGHT})
    assert client.ask({"ready": 1})["info"]["reward_params"]["steps"] == 1.0, "attached again"
    client.close()


def test_a_continuous_action_is_an_array_of_two(simulators):
    server = Server(simulators, **params(CONTINUOUS, FIXED | {"WORLD_NAME": "reinvent_base"}))
    client = OriginalClient(server.port)
    client.ask({"ready": 1})
    reply = client.ask({"action": np.array([1.0, -3.0])})
    assert reply["info"]["reward_params"]["steering_angle"] == 30.0
    assert reply["info"]["reward_params"]["speed"] == 0.5, "clipped"
    client.close()
    assert server.stop(signal.SIGINT)[0] == 0


def test_our_environment_at_our_server_is_as_in_the_process(server):
    arguments = {"track_config": FIXED, "world_name": "reinvent_base"}
    far = make(manage_container=False, port=server.port, **arguments)
    near = make(**arguments)
    assert [each.backend for each in deepracer.running()] == ["serve", "native"]
    assert f"port {server.port}" in deepracer.running()[0].describe()
    generator = np.random.default_rng(2)
    for number in range(3):
        seed = 7 if number != 1 else None
        options = {"start_position": 0.3} if number == 2 else None
        theirs, ours = far.reset(seed=seed, options=options), near.reset(seed=seed, options=options)
        for _ in range(20):
            assert data_equivalence(theirs[0], ours[0], exact=True)
            assert theirs[0]["FRONT_FACING_CAMERA"].flags.writeable
            far_info, near_info = theirs[-1], ours[-1]
            waypoints = near_info["reward_params"].pop("waypoints")
            assert [tuple(point) for point in far_info["reward_params"].pop("waypoints")] == waypoints
            assert far_info == near_info
            assert theirs[1:-1] == ours[1:-1]
            action = int(generator.integers(5))
            theirs, ours = far.step(action), near.step(action)
    assert far.render().shape == (120, 160, 3)
    with pytest.raises(RuntimeError, match="says: direction is 'up'"):
        far.reset(options={"direction": "up"})
    assert far.reset()[1]["reward_params"]["steps"] == 1.0, "the connection lives"
    far.close()
    near.close()
    assert len(deepracer.running()) == 1, "the server goes on"
    code, errors = server.stop()
    assert code == 0
    assert "a client's message was refused" in errors
    assert deepracer.running() == []


def test_messages_that_mean_nothing_are_refused_and_the_server_goes_on(server):
    context = zmq.Context()
    socket = context.socket(zmq.REQ)
    socket.setsockopt(zmq.RCVTIMEO, 20_000)
    socket.connect(f"tcp://127.0.0.1:{server.port}")

    def ask(frame):
        socket.send(frame)
        return wire.unpack(socket.recv())

    assert ask(msgpack.packb({"ready": 1}))["info"]
    for frame, said in [
        (b"", "not a message"),
        (b"\xc1", "not a message"),
        (msgpack.packb([1]), "a list instead of a map"),
        (msgpack.packb({"speed": 1}), "the keys speed; legal: ready, action, reset"),
        (msgpack.packb({"action": 5}), "infeasible"),
        (msgpack.packb({"action": None}), "infeasible"),
        (msgpack.packb({"action": [0.1, 0.1]}), "infeasible"),
        (msgpack.packb({"action": {b"nd": False, b"type": "|O", b"data": b""}}), "not a message"),
        (msgpack.packb({"action": {b"nd": True, b"type": "<f8"}}), "not a message"),
        (msgpack.packb({"reset": {"seed": "x"}}), "invalid literal"),
        (msgpack.packb({"reset": {"seed": -1}}), "seed is -1"),
        (msgpack.packb({"reset": 5}), "'int' object"),
    ]:
        reply = ask(frame)
        assert said in reply["error"], reply
    reply = ask(msgpack.packb({"action": STRAIGHT}))
    assert reply["info"]["reward_params"]["steps"] == 2.0
    context.destroy(0)


@pytest.mark.parametrize(
    ("arguments", "environment", "code", "said"),
    [
        (["--world-name", "nowhere"], {}, 2, "Unknown WORLD_NAME 'nowhere'"),
        (["--port", "70000"], {}, 2, "the port is 70000"),
        ([], {"GYM_PORT": "abc"}, 2, "GYM_PORT is 'abc'"),
        ([], {"DEEPRACER_AGENT_PARAMS": "{"}, 2, "DEEPRACER_AGENT_PARAMS is not JSON"),
        (["--agent-config", "nowhere.json"], {}, 2, "there is no file nowhere.json"),
        (["--quality", "best"], {}, 2, "invalid choice"),
    ],
)
def test_a_server_that_cannot_start_says_why(simulators, arguments, environment, code, said):
    environment = os.environ | params(AGENT) | environment
    command = [sys.executable, "-m", "deepracer.serve", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == code, done.stderr
    assert said in done.stderr


def test_a_port_that_is_taken_is_named(server):
    command = [sys.executable, "-m", "deepracer.serve", "--port", str(server.port)]
    done = subprocess.run(command, env=os.environ | params(AGENT), capture_output=True, text=True, timeout=60)
    assert done.returncode == 3
    assert f"cannot listen on 127.0.0.1:{server.port}" in done.stderr


class OriginalServer(threading.Thread):
    """Answers as the container-based simulator does: stale parameters at starts, a motionless first step.

    Episodes last three steps. ``actions`` holds what was sent.
    """

    def __init__(self):
        """Listen on a free port."""
        super().__init__(daemon=True)
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.REP)
        self.port = self.socket.bind_to_random_port("tcp://127.0.0.1")
        self.actions = []
        self.should_end = threading.Event()

    def stop(self):
        """End the answering."""
        self.should_end.set()
        self.join()

    def run(self):
        """Answer until told to end."""
        try:
            self.answer()
        finally:
            self.context.destroy(0)

    def answer(self):
        """Answer message after message."""
        steps, is_over, has_begun = 0.0, True, False
        while not self.should_end.is_set():
            if self.socket.poll(50):
                message = msgpack.unpackb(self.socket.recv(), object_hook=msgpack_numpy.decode)
                is_start = "ready" in message or is_over
                if not is_start:
                    steps = 1.0 if has_begun else steps + 1
                    self.actions.append(message["action"])
                has_begun = is_start
                is_over = not is_start and steps >= 3
                reply = {
                    "_next_state": {"FRONT_FACING_CAMERA": np.full((120, 160, 3), int(steps), np.uint8)},
                    "_reward": 0.0,
                    "_game_over": is_over,
                    "_goal": None,
                    "info": {
                        "reward_params": {"steps": steps, "distance_from_center": 0.0, "track_width": 1.0},
                        "episode_status": {"off_track": is_over},
                        "goal": None,
                    },
                }
                self.socket.send(msgpack.packb(reply, default=msgpack_numpy.encode))


@pytest.fixture
def original():
    server = OriginalServer()
    server.start()
    yield server
    server.stop()


def test_our_environment_drives_a_server_of_the_original(simulators, original):
    env = make(manage_container=False, port=original.port)
    assert env.unwrapped._handle is None
    with pytest.warns(UserWarning, match="takes no seeds"):
        observation, info = env.reset(seed=1)
    assert info["reward_params"]["steps"] == 1.0
    assert observation["FRONT_FACING_CAMERA"].shape == (3, 120, 160)
    assert original.actions == [0], "one motionless step"
    observation, reward, terminated, truncated, info = env.step(3)
    assert (reward, terminated, truncated) == (1.0, False, False)
    assert (observation["FRONT_FACING_CAMERA"] == 2).all()
    assert env.step(4)[2:4] == (True, False)
    _, info = env.reset()
    assert info["reward_params"]["steps"] == 1.0
    assert original.actions == [0, 3, 4, 0]
    _, info = env.reset()
    assert info["reward_params"]["steps"] == 1.0
    assert original.actions == [0, 3, 4, 0, 0, 0, 0], "an episode that runs is played to its end first"
    with pytest.raises(ValueError, match="takes none"):
        env.reset(options={"start_position": 0.5})
    other = make(agent_config={"sensor": ["LEFT_CAMERA"]}, manage_container=False, port=original.port)
    with pytest.raises(RuntimeError, match="has the sensors FRONT_FACING_CAMERA, not LEFT_CAMERA"):
        other.reset()
    other.close()
    env.close()
    env.close()


def test_silence_is_said_and_has_an_end(simulators, monkeypatch):
    monkeypatch.setattr(client, "SILENCE_S", 0.05)
    monkeypatch.setattr(client, "FIRST_REPLY_S", 0.2)
    monkeypatch.setenv("GYM_PORT", "29999")
    env = make(manage_container=False)
    for _ in range(2):
        with (
            pytest.warns(UserWarning, match="nothing answers at tcp://127.0.0.1:29999"),
            pytest.raises(TimeoutError, match="no reply"),
        ):
            env.reset()
    env.close()
    monkeypatch.setenv("GYM_PORT", "no port")
    assert 1024 <= client.default_port() <= 32767


def test_what_travels_is_what_msgpack_numpy_writes():
    message = {
        "array": np.arange(6, dtype=np.float32).reshape(2, 3),
        "scalar": np.float64(0.5),
        "flag": np.bool_(True),
        "nested": {"list": [1, 2.5, None, "é"]},
    }
    ours = msgpack.unpackb(wire.pack(message), object_hook=msgpack_numpy.decode)
    theirs = wire.unpack(msgpack.packb(message, default=msgpack_numpy.encode))
    for read in (ours, theirs):
        assert (read["array"] == message["array"]).all()
        assert read["array"].dtype == np.float32
        assert read["scalar"] == 0.5
        assert bool(read["flag"]) is True
        assert read["nested"] == message["nested"]


def test_without_the_libraries_the_error_says_what_to_install(simulators):
    program = """
    import sys
    sys.modules["zmq"] = None
    import gymnasium as gym, deepracer
    try:
        gym.make("deepracer-v0", agent_config={"sensor": ["FRONT_FACING_CAMERA"]}, manage_container=False)
    except ImportError as error:
        print(error)
    """
    assert 'pip install "deepracer[serve]"' in run_python(program, simulators)


@pytest.fixture
def engine(simulators, tmp_path, monkeypatch):
    """A command ``docker`` that starts servers on this machine."""
    folder, state = tmp_path / "bin", tmp_path / "state"
    folder.mkdir()
    state.mkdir()
    program = Path(__file__).with_name("stand_in_engine.py")
    (folder / "docker").write_text(f'#!/bin/sh\nexec "{sys.executable}" "{program}" "$@"\n')
    (folder / "docker").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("ENGINE_STATE", str(state))
    monkeypatch.setenv("DEEPRACER_BACKEND", "docker")
    return state


def test_environments_run_in_containers(engine):
    env = make(world_name="reinvent_base", cpus=1.5, memory="1g", image="mine:1", track_config=FIXED, cache=True)
    (running,) = deepracer.running()
    known = json.loads((engine / f"{running}.json").read_text())
    assert known["image"] == "mine:1"
    assert (known["options"]["--cpus"], known["options"]["--memory"]) == (["1.5"], ["1g"])
    assert "deepracer.managed=true" in known["labels"]
    assert (running.backend, running.port) == ("docker", env.unwrapped._handle.port)
    first = env.reset(seed=3)
    assert env.step(STRAIGHT)[4]["reward_params"]["steps"] == 2.0
    env.close()
    assert [each.state for each in deepracer.running()] == ["warm"]
    assert Path(f"/proc/{known['pid']}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T", "frozen"
    again = make(world_name="reinvent_base", cpus=1.5, memory="1g", image="mine:1", track_config=FIXED)
    assert deepracer.running() == [running]
    same = again.reset(seed=3)
    assert data_equivalence(first, same, exact=True)
    again.close()
    assert deepracer.running() == []
    assert list(engine.glob("*.json")) == []


def test_containers_of_killed_processes_are_removed(engine, simulators):
    program = """
    import os, signal
    import gymnasium as gym, deepracer
    env = gym.make("deepracer-v0", agent_config={"sensor": ["FRONT_FACING_CAMERA"]}, world_name="reinvent_base")
    print("ready", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
    """
    mine = make(world_name="reinvent_base")
    for _ in range(2):
        # The second one finds the container of the first one, which has its name, and removes it.
        process = start_python(program, simulators)
        process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL
    assert len(list(engine.glob("*.json"))) == 2
    command = [sys.executable, "-m", "deepracer.clean"]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
    assert "docker containers: 1 removed" in told
    assert len(list(engine.glob("*.json"))) == 1
    told = subprocess.run([*command, "--deep", "--force"], capture_output=True, text=True, timeout=60).stdout
    assert "docker containers: 1 removed" in told
    assert "docker images: 1 removed" in told
    assert list(engine.glob("*.json")) == []
    mine.close()


@pytest.mark.parametrize(
    ("breaks", "error", "said"),
    [
        ("version", RuntimeError, "it does not work: Cannot connect to the daemon"),
        ("run", RuntimeError, "Unable to find image"),
        ("image", RuntimeError, r"failed:\n.*FATAL: no track"),
        ("silence", TimeoutError, "was not ready within 1 s; set DEEPRACER_READY_TIMEOUT"),
    ],
)
def test_containers_that_do_not_start_leave_nothing(engine, monkeypatch, breaks, error, said):
    monkeypatch.setenv("ENGINE_BREAKS", breaks)
    monkeypatch.setenv("DEEPRACER_READY_TIMEOUT", "1")
    with pytest.raises(error, match=f"(?s){said}"):
        make()
    assert deepracer.running() == []
    assert list(engine.glob("*.json")) == []


def test_backends_are_named(simulators, monkeypatch):
    monkeypatch.setenv("DEEPRACER_BACKEND", "dokcer")
    with pytest.raises(ValueError, match="DEEPRACER_BACKEND is 'dokcer'; legal: native, docker, podman, apptainer"):
        make()
    monkeypatch.setenv("DEEPRACER_BACKEND", "apptainer")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RuntimeError, match="there is no command apptainer"):
        make()
    monkeypatch.setenv("DEEPRACER_BACKEND", "native")
    make().close()
