"""Reward functions are tried before anything starts, and every mistake names the user's own line."""

import time

import pytest
from conftest import GOOD_REWARD


def reward_report(racing, text, *arguments, code=0):
    """Upload a reward function and let `dr-reload` try it."""
    racing.write_reward(text)
    return racing.dr("reload", *arguments, code=code)


def wrong(racing, text):
    """Start a training with a wrong reward function: it must fail fast and touch nothing."""
    racing.write_reward(text)
    begun = time.monotonic()
    done = racing.dr("start-training", "-q", code=2)
    assert time.monotonic() - begun < 5.0
    assert not (racing.bucket / "rl-deepracer-sagemaker").exists()
    assert "custom_files/reward_function.py" in done.stderr
    return done.stderr


def test_a_missing_comma_is_a_syntax_error_with_its_line(racing):
    """No log at all, and a trainer that waits forever, is what users met before."""
    text = "def reward_function(params):\n    weights = [1.0 2.0]\n    return 1.0\n"
    told = wrong(racing, text)
    assert "SyntaxError" in told and "line 2" in told and "weights = [1.0 2.0]" in told


def test_an_error_in_the_finished_lap_branch_is_found_at_the_start(racing):
    """The branch of the finished lap is tried before the training starts."""
    text = (
        "def reward_function(params):\n"
        '    if params["progress"] >= 100:\n'
        "        return BONUS            # never defined\n"
        "    return 1.0\n"
    )
    told = wrong(racing, text)
    assert "NameError" in told and "line 3" in told and "finished lap" in told and "return BONUS" in told


@pytest.mark.parametrize(
    ("expression", "reward"),
    [("1", 1.0), ("True", 1.0), ("numpy.float32(0.5)", 0.5), ('"3.5"', 3.5), ("100000.0", 1e5), ("-1e5", -1e5)],
)
def test_what_float_converts_is_accepted(racing, expression, reward):
    """Types other than float are remarked."""
    done = reward_report(racing, f"import numpy\ndef reward_function(params):\n    return {expression}\n")
    assert f"start {reward!r}," in done.stdout or f"start {reward:.1f}," in done.stdout
    if "e5" not in expression and "100000" not in expression:
        assert "instead of float" in done.stderr
    else:
        assert "rarely train well" in done.stderr


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("None", "NoneType"),
        ("[1.0]", "list"),
        ("1+0j", "complex"),
        ('float("nan")', "NaN"),
        ('float("inf")', "inf"),
        ("100000.1", "100000.1"),
        ("1e6", "1000000"),
        ('"three"', "str"),
    ],
)
def test_anything_else_is_refused_naming_value_and_type(racing, expression, told):
    """What is no finite number within the limits stops the run, named with its type."""
    racing.write_reward(f"def reward_function(params):\n    return {expression}\n")
    done = racing.dr("start-training", "-q", code=2)
    assert told in done.stderr and "start" in done.stderr


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def reward_function(params, extra):\n    return 1.0\n", "exactly one argument"),
        ("def reward_function():\n    return 1.0\n", "exactly one argument"),
        ("def reward(params):\n    return 1.0\n", "reward_function"),
        ("reward_function = 1.0\n", "not a function"),
        ("import no_such_package\n", "-m pip install NAME"),
        ("def reward_function(params):\n\treturn 1.0\n        x = 1\n", "Error"),
        ("raise RuntimeError('on import')\n", "on import"),
    ],
)
def test_what_cannot_be_loaded_says_why(racing, text, told):
    """Load errors come before any work."""
    racing.write_reward(text)
    assert told in racing.dr("start-training", "-q", code=2).stderr


def test_optional_further_arguments_are_fine(racing):
    """What counts is that a call with one argument works."""
    reward_report(racing, "def reward_function(params, scale=2.0):\n    return scale\n")
    reward_report(
        racing, "class Reward:\n    def __call__(self, params):\n        return 1.0\nreward_function = Reward()\n"
    )


def test_a_function_that_waits_for_step_one_is_told_both_ways_out(racing):
    """Popular templates initialise themselves at the first step."""
    text = (
        "best = None\n"
        "def reward_function(params):\n"
        "    global best\n"
        '    if params["steps"] == 1:\n'
        "        best = 0.0\n"
        '    best = max(best, params["speed"])\n'
        "    return best\n"
    )
    racing.write_reward(text)
    told = racing.dr("reload", code=2).stdout
    assert "TypeError" in told and "steps <= 2" in told and "DR_TRAIN_PREPARE_STEP=False" in told
    racing.dr("reload", "--set", "DR_TRAIN_PREPARE_STEP=False")


CONTRACT = """
EXPECTED = {
    "all_wheels_on_track": bool, "x": float, "y": float, "heading": float, "distance_from_center": float,
    "projection_distance": float, "progress": float, "steps": float, "speed": float, "steering_angle": float,
    "track_width": float, "track_length": float, "waypoints": list, "closest_waypoints": list,
    "is_left_of_center": bool, "is_reversed": bool, "closest_objects": list, "objects_location": list,
    "objects_left_of_center": list, "object_in_camera": bool, "objects_speed": list, "objects_heading": list,
    "objects_distance_from_center": list, "objects_distance": list, "is_crashed": bool, "is_offtrack": bool,
    "sim_time": float,
}
CALLS = []

def reward_function(params):
    assert type(params) is dict
    assert set(params) == set(EXPECTED), set(params) ^ set(EXPECTED)
    for key, kind in EXPECTED.items():
        assert type(params[key]) is kind, (key, type(params[key]))
    waypoints = params["waypoints"]
    assert len(waypoints) == 119 and all(type(point) is tuple and len(point) == 2 for point in waypoints)
    assert waypoints[0] == waypoints[-1]
    assert all(type(index) is int for index in params["closest_waypoints"]) and len(params["closest_waypoints"]) == 2
    assert params["closest_objects"] == [0, 0] and params["objects_location"] == []
    assert params["is_reversed"] is False
    if not CALLS:
        assert params["steps"] == 2.0
    CALLS.append(params["steps"])
    assert CALLS == sorted(CALLS), "steps come in order"
    waypoints.clear()          # a function that spoils its parameters spoils only its own copy
    params.clear()
    return 1.0
"""


def test_the_parameters_are_plain_values_of_the_documented_types(racing):
    """All keys, exact types, fresh containers, state kept between calls."""
    reward_report(racing, CONTRACT)


def test_files_beside_the_function_can_be_imported_and_are_named_in_errors(racing):
    """Helpers travel with `dr-upload-custom-files`."""
    (racing.folder / "custom_files" / "my_helper.py").write_text("def bonus(params):\n    return 1 / 0\n")
    racing.write_reward("import my_helper\ndef reward_function(params):\n    return my_helper.bonus(params)\n")
    told = racing.dr("start-training", "-q", code=2).stderr
    assert "ZeroDivisionError" in told and "my_helper.py, line 2" in told
    assert "return my_helper.bonus(params)" in told, "the traceback shows how it got there"


def test_a_newer_file_that_was_not_uploaded_is_mentioned(racing):
    """The bucket's file counts, as in the original."""
    racing.reward.write_text("def reward_function(params):\n    return 2.0\n")
    done = racing.dr("reload")
    assert "start 1.0" in done.stdout and "dr-upload-custom-files" in done.stderr
    racing.write_reward(GOOD_REWARD)
    assert "differs" not in racing.dr("reload").stderr
