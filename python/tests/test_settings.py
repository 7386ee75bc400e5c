"""Env files as people write them, seen through `dr-config`."""

import json

import pytest

QUOTING = """DR_CAR_NAME="Blue Bird"
DR_DISPLAY_NAME='no $EXPANSION here'
DR_RACER_NAME=plain value   # trailing remark
DR_CAR_COLOR=Red#1
export DR_RUN_ID=3
DR_RACE_TYPE = TIME_TRIAL
DR_EVAL_SAVE_MP4=
   # indented remark
"""


def values(racing, *keys, code=0):
    """Value and origin of each key."""
    done = racing.dr("config", "--json", *keys, code=code)
    return {row["key"]: (row["value"], row["origin"]) for row in json.loads(done.stdout)}, done.stderr


def test_quoting_remarks_and_a_wrong_value(racing):
    """Quotes, remarks, `export` and blanks round `=`."""
    (racing.folder / "run.env").write_text(QUOTING)
    found, told = values(racing, code=2)
    assert found["DR_CAR_NAME"] == ("Blue Bird", "run.env:1")
    assert found["DR_DISPLAY_NAME"] == ("no $EXPANSION here", "run.env:2")
    assert found["DR_RACER_NAME"] == ("plain value", "run.env:3")
    assert found["DR_RUN_ID"] == ("3", "run.env:5")
    assert found["DR_RACE_TYPE"] == ("TIME_TRIAL", "run.env:6")
    assert found["DR_EVAL_SAVE_MP4"] == ("", "run.env:7")
    assert "DR_CAR_COLOR=Red#1" in told and "Black, Grey, Blue, Red, Orange, White, Purple" in told
    assert "DR_RACE_TYPE" in told.split("error:")[0], "blanks around = are mentioned"


@pytest.mark.parametrize("change", ["crlf", "bom", "no newline", "blanks"])
def test_line_ends_and_encodings_make_no_difference(racing, change):
    """Line ends, a byte order mark, a missing last newline and trailing blanks change nothing."""
    plain = "DR_CAR_NAME=Blue\nDR_WORLD_NAME=Oval_track\n"
    text = {
        "crlf": plain.replace("\n", "\r\n"),
        "bom": "\ufeff" + plain,
        "no newline": plain.rstrip("\n"),
        "blanks": plain.replace("\n", "  \t\n"),
    }[change]
    (racing.folder / "run.env").write_bytes(text.encode())
    found, _ = values(racing, "DR_CAR_NAME", "DR_WORLD_NAME")
    assert found == {"DR_CAR_NAME": ("Blue", "run.env:1"), "DR_WORLD_NAME": ("Oval_track", "run.env:2")}


def test_utf_16_is_one_error_naming_file_and_encoding(racing):
    """UTF-16 is one error that names file and encoding."""
    (racing.folder / "run.env").write_bytes("DR_CAR_NAME=Blue\n".encode("utf-16"))
    told = racing.dr("config", code=2).stderr
    assert "run.env" in told and "UTF-16" in told
    assert told.count("error:") == 1


def test_near_misses_are_told_and_helpers_are_not(racing):
    """Near misses are told with the nearest name."""
    text = "DR_TRAIN_ROUND_ROBIN_ADVANCE_DISTANCE=0.1\nxDR_EVAL_DEBUG_REWARD=True\nDR_WORLDNAME=reinvent_base\n"
    (racing.folder / "run.env").write_text(text + "dr_workers=2\nMY_TAG=spring\nDR_CAR_NAME=$MY_TAG\n")
    found, told = values(racing)
    assert found["DR_TRAIN_ROUND_ROBIN_ADVANCE_DIST"][0] == "0.1"
    assert found["DR_CAR_NAME"][0] == "spring"
    for wrong, meant in [
        ("xDR_EVAL_DEBUG_REWARD", "DR_EVAL_DEBUG_REWARD"),
        ("DR_WORLDNAME", "DR_WORLD_NAME"),
        ("dr_workers", "DR_WORKERS"),
    ]:
        assert any(wrong in line and meant in line for line in told.splitlines()), told
    assert "MY_TAG" not in told


def test_precedence_and_origin(racing):
    """Command line, experiment, run.env, system.env, default."""
    (racing.folder / "system.env").write_text("DR_CAR_NAME=system\nDR_CAR_COLOR=Blue\nDR_RUN_ID=4\n")
    (racing.folder / "run.env").write_text("DR_CAR_NAME=run\nDR_CAR_COLOR=Grey\n")
    experiment = racing.folder / "experiments" / "wide"
    experiment.mkdir(parents=True)
    (experiment / "run.env").write_text("DR_CAR_NAME=experiment\n")
    arguments = ["--experiment", "wide", "--set", "DR_WORLD_NAME=Oval_track"]
    rows = json.loads(racing.dr("config", "--json", *arguments).stdout)
    found = {row["key"]: (row["value"], row["origin"]) for row in rows}
    assert found["DR_WORLD_NAME"] == ("Oval_track", "command line")
    assert found["DR_CAR_NAME"] == ("experiment", "experiments/wide/run.env:1")
    assert found["DR_CAR_COLOR"] == ("Grey", "run.env:2")
    assert found["DR_RUN_ID"] == ("4", "system.env:3")
    assert found["DR_WORKERS"] == ("1", "default")


def test_an_unknown_key_or_experiment_names_what_there_is(racing):
    """Unknown names list the nearest ones."""
    assert "DR_WORLD_NAME" in racing.dr("config", "DR_WORLDNAME", code=2).stderr
    (racing.folder / "experiments" / "wide").mkdir(parents=True)
    (racing.folder / "experiments" / "wide" / "run.env").write_text("")
    assert "wide" in racing.dr("summary", "--experiment", "wied", code=2).stderr


def test_init_never_overwrites_what_differs(racing):
    """A second `dr-init` is harmless."""
    (racing.folder / "run.env").write_text("DR_CAR_NAME=mine\n")
    done = racing.dr("init")
    assert (racing.folder / "run.env").read_text() == "DR_CAR_NAME=mine\n"
    assert "run.env exists and differs" in done.stderr
    racing.dr("init", "--force")
    assert (racing.folder / "run.env.bak").read_text() == "DR_CAR_NAME=mine\n"


def test_what_is_not_supported_is_refused_when_it_would_train_something_else(racing):
    """Never silently ignored."""
    told = racing.dr("update", "--set", "DR_CLOUD=aws", code=2).stderr
    assert "not supported yet" in told and "DR_CLOUD=local" in told
    assert "nothing needs to be sourced" in racing.dr("update-env").stderr


def test_increment_counts_up_and_keeps_everything_else(racing):
    """The names that follow one another, and what is refused."""
    for current, arguments, following in [
        ("foo-1", [], "foo-2"),
        ("foo-09", [], "foo-10"),
        ("plain", [], "plain-1"),
        ("foo-", [], "foo--1"),
        ("a_7", ["-d", "_"], "a_8"),
        ("foo-1", ["-p", "blue bird"], "blue bird"),
    ]:
        old = f"# keep me\r\nDR_LOCAL_S3_MODEL_PREFIX={current}  # and me\r\n"
        (racing.folder / "run.env").write_bytes(old.encode())
        assert racing.dr("increment-training", "-f", *arguments).stdout.strip() == following
        text = (racing.folder / "run.env").read_bytes().decode()
        assert text.startswith("# keep me\r\n") and "# and me\r\n" in text
        assert (racing.folder / "run.env.bak").read_bytes().decode() == old
        found, _ = values(racing)
        keys = ("DR_LOCAL_S3_MODEL_PREFIX", "DR_LOCAL_S3_PRETRAINED", "DR_LOCAL_S3_PRETRAINED_PREFIX")
        assert [found[key][0] for key in keys] == [following, "True", current]


def test_increment_asks_and_never_overwrites_a_model(racing):
    """Nothing changes without a yes, nor over a model that is there."""
    (racing.folder / "run.env").write_text("DR_LOCAL_S3_MODEL_PREFIX=foo-2\n")
    done = racing.dr("increment-training", code=1)
    assert "nothing was changed" in done.stderr
    (racing.bucket / "foo-3" / "model").mkdir(parents=True)
    (racing.bucket / "foo-3" / "model" / "x").write_text("x")
    assert "foo-3" in racing.dr("increment-training", "-f", code=2).stderr
    assert (racing.folder / "run.env").read_text() == "DR_LOCAL_S3_MODEL_PREFIX=foo-2\n"
    racing.dr("increment-training", "-f", "-w")
    assert not (racing.bucket / "foo-3" / "model" / "x").exists()
