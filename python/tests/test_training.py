"""Runs as processes: start, follow, stop, kill, resume, evaluate; nothing is ever lost."""

import array
import csv
import fcntl
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

import pytest
from conftest import GOOD_REWARD, Racing, make_racing

MODEL = "rl-deepracer-sagemaker"


def runs(racing: Racing) -> dict[str, dict]:
    """What `dr-summary` says of every run, by name."""
    return {run["name"]: run for run in json.loads(racing.dr("summary", "--json").stdout)["runs"]}


def wait_for(what, seconds: float = 60.0):
    """Wait until a function returns something true, and return it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := what():
            return found
        time.sleep(0.1)
    raise AssertionError("it did not happen in time")


def checkpoints(folder: Path) -> list[Path]:
    """The checkpoint folders of a model."""
    return sorted(folder.glob("model/[0-9]*_Step-*"), key=lambda path: int(path.name.split("_")[0]))


def fingerprint(folder: Path) -> str:
    """Names and contents of all files below a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(str(path.relative_to(folder)).encode() + path.read_bytes())
    return digest.hexdigest()


@pytest.fixture
def running(racing):
    """A training that has saved at least two checkpoints; stopped after the test."""
    racing.dr("start-training", "-q")
    wait_for(lambda: len(checkpoints(racing.bucket / MODEL)) >= 2)
    yield racing
    racing.dr("stop-all", "--timeout", "20", code=None)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A training of two iterations that ended by itself."""
    racing = make_racing(tmp_path_factory.mktemp("trained") / "my trained folder")
    done = racing.dr("start-training", "--set", "DR_TRAIN_STOP_ITERATIONS=2")
    assert "Policy training>" in done.stdout, "following shows the trainer's log"
    assert "DR_TRAIN_STOP_ITERATIONS" in done.stderr, "the end says why it ended"
    return racing


def test_a_training_leaves_the_files_of_the_original(trained):
    """The tree that analysis tools walk."""
    model = trained.bucket / MODEL
    for name in (
        "metrics/TrainingMetrics.json",
        "training-simtrace/0-iteration.csv",
        "training-simtrace/1-iteration.csv",
        "model/deepracer_checkpoints.json",
        "model/model_metadata.json",
        "model/.coach_checkpoint",
        "ip/hyperparameters.json",
        "reward_function.py",
        "training_params.yaml",
    ):
        assert (model / name).is_file(), name
    header = (model / "training-simtrace/0-iteration.csv").read_text().splitlines()[0]
    assert header.split(",")[:5] == ["episode", "steps", "X", "Y", "yaw"] and len(header.split(",")) == 19
    assert (model / "reward_function.py").read_bytes() == trained.reward.read_bytes()


def test_the_logs_of_a_finished_run_can_still_be_shown(trained):
    """Trainer and worker."""
    assert "Policy training>" in trained.dr("logs-sagemaker", "-a").stdout
    assert "SIM_TRACE_LOG:" in trained.dr("logs-robomaker", "-n", "1").stdout
    assert "counted from 1" in trained.dr("logs-robomaker", "-n", "2", code=2).stderr
    assert "dr-start-evaluation" in trained.dr("logs-robomaker", "-e", "--set", "DR_RUN_ID=9", code=2).stderr


def test_an_evaluation_drives_without_touching_the_model(trained):
    """A table of laps, a picture, metrics; exit code 1 when laps are missing."""
    before = fingerprint(trained.bucket / MODEL / "model")
    done = trained.dr("start-evaluation", "--set", "DR_EVAL_NUMBER_OF_TRIALS=2", code=None)
    assert done.returncode in (0, 1), done.stderr
    assert "SIM_TRACE_LOG:" in done.stdout and "PROGRESS" in done.stdout
    picture = next(line for line in done.stdout.splitlines() if line.startswith("picture: ")).removeprefix("picture: ")
    assert Path(picture).read_bytes().startswith(b"\x89PNG")
    assert fingerprint(trained.bucket / MODEL / "model") == before
    metrics = list((trained.bucket / MODEL / "metrics" / "evaluation").glob("evaluation-*.json"))
    assert len(metrics) == 1 and json.loads(metrics[0].read_text())["metrics"]


def test_an_evaluation_may_draw_its_actions(trained):
    """The best action is always the same; drawn ones follow from the seed."""

    def actions(*settings: str) -> list[str]:
        """The actions of the newest trace of an evaluation with these settings."""
        options = [part for setting in ("DR_EVAL_NUMBER_OF_TRIALS=1", *settings) for part in ("--set", setting)]
        before = set((trained.bucket / MODEL).glob("evaluation-*/evaluation-simtrace/*.csv"))
        trained.dr("start-evaluation", *options, code=None)
        (trace,) = set((trained.bucket / MODEL).glob("evaluation-*/evaluation-simtrace/*.csv")) - before
        return [row["action"] for row in csv.DictReader(trace.read_text().splitlines())]

    drawn = actions("DR_EVAL_SAMPLE_ACTIONS=True")
    assert actions() == actions("DR_EVAL_SEED=1") != drawn
    assert actions("DR_EVAL_SAMPLE_ACTIONS=True") == drawn
    assert actions("DR_EVAL_SAMPLE_ACTIONS=True", "DR_EVAL_SEED=1") != drawn


def test_a_cloned_evaluation_uses_a_copy(trained):
    """`-c` evaluates `<prefix>-E`."""
    trained.dr("start-evaluation", "-c", code=None)
    assert checkpoints(trained.bucket / f"{MODEL}-E")


def test_an_existing_model_is_only_wiped_when_told(trained):
    """Exact names, and only that one is emptied."""
    others = [trained.bucket / "foo-10", trained.bucket / "foo-11"]
    for other in others:
        (other / "model").mkdir(parents=True, exist_ok=True)
        (other / "model" / "x").write_text(other.name)
    before = [fingerprint(other) for other in others]
    stop_soon = ["--set", "DR_TRAIN_STOP_ITERATIONS=1", "--set", "DR_LOCAL_S3_MODEL_PREFIX=foo-1"]
    trained.dr("start-training", *stop_soon)
    told = trained.dr("start-training", *stop_soon, code=2).stderr
    assert "`foo-1`" in told and "-w" in told and "--resume" in told
    marker = trained.bucket / "foo-1" / "marker"
    marker.write_text("old")
    trained.dr("start-training", "-w", *stop_soon)
    assert not marker.exists()
    assert [fingerprint(other) for other in others] == before


def test_a_model_wiped_for_a_run_that_cannot_start_comes_back(trained):
    """A pretrained model with another number of actions is refused, and nothing is lost."""
    stop_soon = ["--set", "DR_TRAIN_STOP_ITERATIONS=1"]
    trained.dr("start-training", *stop_soon, "--set", "DR_LOCAL_S3_MODEL_PREFIX=five-1")
    before = fingerprint(trained.bucket / "five-1")
    metadata = trained.folder / "custom_files" / "model_metadata.json"
    old = metadata.read_text()
    fewer = json.loads(old)
    fewer["action_space"] = fewer["action_space"][:3]
    try:
        metadata.write_text(json.dumps(fewer))
        trained.dr("upload-custom-files")
        told = trained.dr(
            "start-training", "-w", "--set", "DR_LOCAL_S3_MODEL_PREFIX=five-1", "--set", "DR_LOCAL_S3_PRETRAINED=True",
            "--set", f"DR_LOCAL_S3_PRETRAINED_PREFIX={MODEL}", code=None,
        )  # fmt: skip
    finally:
        metadata.write_text(old)
        trained.dr("upload-custom-files")
    assert told.returncode in (2, 3)
    assert "3" in told.stderr and "5" in told.stderr and "actions" in told.stderr
    assert fingerprint(trained.bucket / "five-1") == before


def test_a_missing_pretrained_model_is_an_error(trained):
    """It never trains from scratch instead."""
    told = trained.dr(
        "start-training", "--set", "DR_LOCAL_S3_PRETRAINED=True", "--set", "DR_LOCAL_S3_PRETRAINED_PREFIX=nowhere",
        "--set", "DR_LOCAL_S3_MODEL_PREFIX=new-1", code=2,
    ).stderr  # fmt: skip
    assert "nowhere" in told
    assert not (trained.bucket / "new-1").exists()


def test_a_second_start_is_refused_while_a_run_lives(running):
    """The message tells pid, model, since when, and how to stop it."""
    run = runs(running)["deepracer-0"]
    told = running.dr("start-training", "-w", code=2).stderr
    assert str(run["pid"]) in told and MODEL in told and "dr-stop-training" in told
    other_id = running.dr("start-training", "-w", "--set", "DR_RUN_ID=1", code=2).stderr
    assert "in use" in other_id and "deepracer-0" in other_id
    assert runs(running)["deepracer-0"]["alive"]


def test_stopping_saves_and_leaves_a_model_to_resume(running):
    """Stop always ends with a saved checkpoint and exit 0."""
    running.dr("stop-training")
    assert not runs(running)["deepracer-0"]["alive"]
    saved = checkpoints(running.bucket / MODEL)
    assert "nothing to stop" in running.dr("stop-training").stderr
    running.dr("start-training", "--resume", "-q")
    wait_for(lambda: checkpoints(running.bucket / MODEL)[-1] != saved[-1])
    running.dr("stop-training")
    assert "resumed from" in running.dr("logs-sagemaker", "-a").stdout


def test_a_killed_run_is_seen_as_dead_and_resumes(running):
    """`kill -9` at any moment: no stale lock, a loadable model."""
    os.kill(runs(running)["deepracer-0"]["pid"], signal.SIGKILL)
    wait_for(lambda: not runs(running)["deepracer-0"]["alive"])
    assert runs(running)["deepracer-0"]["state"] == "killed"
    running.dr("start-training", "--resume", "-q")
    assert runs(running)["deepracer-0"]["alive"]
    running.dr("stop-training")
    running.dr("start-evaluation", "-q")
    running.dr("stop-evaluation")


def follow(racing: Racing, name: str, stdout: int) -> subprocess.Popen:
    """Follow a log as in a terminal, where Ctrl-C means something; in the background of a script it is ignored."""
    return subprocess.Popen(
        racing.command(name, "-a"),
        cwd=racing.folder,
        stdout=stdout,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def test_ctrl_c_ends_following_and_not_the_run(running):
    """Exit code 130; the run goes on."""
    following = follow(running, "logs-sagemaker", subprocess.PIPE)
    assert following.stdout is not None
    following.stdout.readline()
    following.send_signal(signal.SIGINT)
    assert following.wait(timeout=60) == 130
    assert runs(running)["deepracer-0"]["alive"]


@pytest.mark.skipif(sys.platform != "linux", reason="sizes of pipes can be set on Linux only")
def test_ctrl_c_ends_following_although_nobody_reads(running):
    """As with a pager that pauses: the pipe is full, and a write into it would wait for ever."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    following = follow(running, "logs-robomaker", writer)

    def num_waiting() -> int:
        waiting = array.array("i", [0])
        fcntl.ioctl(reader, termios.FIONREAD, waiting)
        return waiting[0]

    def is_stuck() -> bool:
        before = num_waiting()
        time.sleep(0.5)
        return num_waiting() == before > 0

    wait_for(is_stuck)
    following.send_signal(signal.SIGINT)
    assert following.wait(timeout=60) == 130
    os.close(reader)
    os.close(writer)
    assert runs(running)["deepracer-0"]["alive"]


def test_edits_after_the_start_do_not_matter(running):
    """A run keeps the configuration it was started with."""
    (running.folder / "run.env").write_text("DR_WORLD_NAME=Oval_track\nDR_CAR_COLOR=Pink\n")
    running.reward.write_text("def reward_function(params):\n    return None\n")
    running.dr("upload-custom-files", code=None)
    last = checkpoints(running.bucket / MODEL)[-1].name
    wait_for(lambda: checkpoints(running.bucket / MODEL)[-1].name != last)
    assert running.dr("stop-training").returncode == 0


def test_a_reward_that_fails_later_stops_the_run_with_its_line(racing):
    """`--skip-preflight` lets it start; the first call that fails ends it with worker, episode and step."""
    racing.write_reward(
        "calls = 0\n"
        "def reward_function(params):\n"
        "    global calls\n"
        "    calls += 1\n"
        "    if calls > 60:\n"
        "        return BONUS\n"
        "    return 1.0\n"
    )
    done = racing.dr("start-training", "--skip-preflight", code=3)
    assert "NameError" in done.stderr and "line 6" in done.stderr
    assert "worker 0" in done.stderr and "episode" in done.stderr and "step" in done.stderr
    assert checkpoints(racing.bucket / MODEL), "the checkpoint of the start is there"
    racing.write_reward(GOOD_REWARD)
    racing.dr("start-training", "--resume", "--set", "DR_TRAIN_STOP_ITERATIONS=1")


def test_prints_of_the_reward_function_go_to_the_worker_log(racing):
    """With a limit on their rate, so that a chatty function cannot fill the disk."""
    racing.write_reward(
        "import sys\n"
        "print('loaded')\n"
        "def reward_function(params):\n"
        "    print('speed', params['speed'])\n"
        "    for _ in range(200):\n"
        "        print('x' * 1000)\n"
        "    return 1.0\n"
    )
    racing.dr("start-training", "-q", "--set", "DR_TRAIN_STOP_ITERATIONS=1")
    wait_for(lambda: not runs(racing)["deepracer-0"]["alive"])
    log = racing.dr("logs-robomaker", "-a").stdout
    assert "speed" in log and "left out" in log
    assert len(log) < 5_000_000


def test_a_full_disk_stops_the_run_and_keeps_the_last_checkpoint(racing):
    """Stands in for a full disk: files may not grow beyond a size that a checkpoint exceeds."""
    racing.dr("start-training", "--set", "DR_TRAIN_STOP_ITERATIONS=1")
    before = fingerprint(checkpoints(racing.bucket / MODEL)[-1])
    limit = 200_000

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    done = subprocess.run(
        racing.command("start-training", "--resume"),
        cwd=racing.folder,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
        preexec_fn=small_files,
    )
    assert done.returncode == 3, done.stderr
    assert "space" in done.stderr
    assert fingerprint(checkpoints(racing.bucket / MODEL)[-1]) == before
    racing.dr("start-training", "--resume", "--set", "DR_TRAIN_STOP_ITERATIONS=2")


def test_several_workers_have_logs_and_traces_of_their_own(racing):
    """Multi-config: every worker its own track."""
    (racing.folder / "worker-2.env").write_text("DR_WORLD_NAME=Oval_track\n")
    racing.set(DR_WORKERS="2", DR_TRAIN_MULTI_CONFIG="True", DR_TRAIN_STOP_ITERATIONS="1")
    done = racing.dr("start-training", "-a")
    assert "[sagemaker] " in done.stdout and "[robomaker-1] " in done.stdout and "[robomaker-2] " in done.stdout
    for worker in ("0", "1"):
        assert (racing.bucket / MODEL / worker / "training-simtrace" / "0-iteration.csv").is_file()
    assert "Oval_track" in racing.dr("logs-robomaker", "-n", "2").stdout


def test_worker_arithmetic_that_does_not_work_out_is_told(racing):
    """Idle workers, and starts that do not close a round within an iteration."""
    told = racing.dr("reload", "--set", "DR_WORKERS=5").stderr
    assert "3 of them stay idle" in told
    hyperparameters = racing.folder / "custom_files" / "hyperparameters.json"
    hyperparameters.write_text('{"num_episodes_between_training": 30}')
    racing.dr("upload-custom-files")
    closing = ["--set", "DR_WORKERS=3", "--set", "DR_TRAIN_ROUND_ROBIN_ADVANCE_DIST=0.1"]
    assert "close a round" not in racing.dr("reload", *closing).stderr
    not_closing = ["--set", "DR_WORKERS=3", "--set", "DR_TRAIN_ROUND_ROBIN_ADVANCE_DIST=0.05"]
    assert "close a round" in racing.dr("reload", *not_closing).stderr


def test_wiping_never_takes_the_custom_files_along(racing):
    """A model prefix that names the custom files, or the folder around them, is refused."""
    before = fingerprint(racing.bucket / "custom_files")
    refused = racing.dr("start-training", "-q", "-w", "--set", "DR_LOCAL_S3_MODEL_PREFIX=custom_files", code=2)
    assert "holds your custom files (DR_LOCAL_S3_CUSTOM_FILES_PREFIX=custom_files)" in refused.stderr
    refused = racing.dr("increment-training", "-f", "-w", "-p", "custom_files", code=2)
    assert "holds your custom files" in refused.stderr
    assert fingerprint(racing.bucket / "custom_files") == before


def test_a_bucket_on_another_disk_is_wiped_and_checked_for_room(racing, tmp_path):
    """Users keep models on a bigger disk, behind a symbolic link."""
    shared_memory = Path("/dev/shm")
    if not os.access(shared_memory, os.W_OK) or shared_memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no second file system to try it on")
    elsewhere = Path(tempfile.mkdtemp(dir=shared_memory))
    try:
        shutil.move(racing.bucket, elsewhere / "bucket")
        racing.bucket.symlink_to(elsewhere / "bucket")
        old = racing.bucket / MODEL / "model" / "old"
        old.parent.mkdir(parents=True)
        old.write_text("old")
        told = re.search(r"disk: ([0-9.]+) GB free", racing.dr("doctor").stdout)
        free_gb = [shutil.disk_usage(folder).free / 1e9 for folder in (elsewhere, tmp_path)]
        assert told
        assert abs(float(told[1]) - free_gb[0]) <= abs(float(told[1]) - free_gb[1])
        done = racing.dr("start-training", "-w", "--set", "DR_TRAIN_STOP_ITERATIONS=1")
        assert f"emptied model `{MODEL}`" in done.stderr
        assert not old.exists()
        assert not list(racing.bucket.glob(".wiped-*"))
    finally:
        racing.dr("stop-all", "--timeout", "20", code=None)
        shutil.rmtree(elsewhere)
