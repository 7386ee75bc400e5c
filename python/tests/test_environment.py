"""One environment: what `reset`, `step`, `render` and `close` promise."""

import math
import sys
import time
import warnings

import deepracer
import gymnasium as gym
import numpy as np
import pytest
from deepracer.errors import InvalidAction
from environments import AGENT, CONTINUOUS, FIXED, LEFT, RIGHT, STRAIGHT, look_ahead, make
from gymnasium.utils.env_checker import check_env, data_equivalence

REWARD_PARAMS = {
    "all_wheels_on_track", "x", "y", "heading", "distance_from_center", "projection_distance", "progress", "steps",
    "speed", "steering_angle", "track_width", "track_length", "waypoints", "closest_waypoints", "is_left_of_center",
    "is_reversed", "is_crashed", "is_offtrack", "sim_time", "closest_objects", "objects_location",
    "objects_left_of_center", "object_in_camera", "objects_speed", "objects_heading", "objects_distance_from_center",
    "objects_distance",
}  # fmt: skip
STATES = [
    "lap_complete", "crashed", "off_track", "in_progress", "immobilized", "time_up", "pause", "reversed", "park",
    "prepare",
]  # fmt: skip


@pytest.fixture
def env(simulators):
    made = make(track_config=FIXED)
    yield made
    made.close()


def drive_until_the_end(env, choose, limit=4000):
    """Drive an episode; return its length, the last step's results, and the rewards."""
    _, info = env.reset(seed=0)
    collected = []
    for number in range(1, limit):
        _, reward, terminated, truncated, info = env.step(choose(info["reward_params"]))
        collected.append(reward)
        if terminated or truncated:
            return number, terminated, truncated, info, collected
    raise AssertionError(f"no end after {limit} steps")


def test_gymnasium_finds_nothing_to_complain_about(simulators):
    for agent in (AGENT, CONTINUOUS):
        env = make(agent_config=agent)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_env(env.unwrapped)
        env.close()


def test_spaces_are_the_documented_ones(simulators):
    env = make()
    assert env.action_space == gym.spaces.Discrete(5)
    assert env.action_space.dtype == np.int64
    assert env.observation_space == gym.spaces.Dict(
        {"FRONT_FACING_CAMERA": gym.spaces.Box(0, 255, (3, 120, 160), np.uint8)}
    )
    env.close()
    env = make(agent_config=CONTINUOUS)
    assert env.action_space == gym.spaces.Box(-1, 1, (2,), np.float64)
    env.close()


def test_wrappers_of_gymnasium_work(env):
    wrapped = gym.wrappers.RecordEpisodeStatistics(gym.wrappers.FlattenObservation(env))
    observation, _ = wrapped.reset(seed=1)
    assert observation.shape == (3 * 120 * 160,)
    assert wrapped.step(STRAIGHT)[0] in wrapped.observation_space


def test_an_episode_begins_at_step_one_and_the_first_step_is_the_second(env):
    _, info = env.reset(seed=3)
    assert set(info) == {"reward_params", "episode_status", "goal"}
    params = info["reward_params"]
    assert set(params) == REWARD_PARAMS
    assert (params["steps"], params["speed"]) == (1.0, 0.0)
    # The car's origin stands on the line, its front point 0.14 m ahead.
    assert params["progress"] == pytest.approx(100 * 0.14 / params["track_length"], rel=0.01)
    assert params["track_length"] == pytest.approx(16.635, abs=0.05)
    assert list(info["episode_status"]) == STATES
    assert not any(info["episode_status"].values())
    assert info["goal"] is None
    observation, reward, terminated, truncated, info = env.step(LEFT)
    params = info["reward_params"]
    assert (params["steps"], params["speed"], params["steering_angle"]) == (2.0, 0.6, 30.0)
    assert observation in env.observation_space
    assert type(reward) is float
    assert (terminated, truncated) == (False, False)
    assert type(terminated) is bool
    assert type(truncated) is bool


def test_observations_are_fresh_and_writable(env):
    first, _ = env.reset(seed=1)
    second = env.step(STRAIGHT)[0]
    for observation in (first, second):
        picture = observation["FRONT_FACING_CAMERA"]
        assert picture.flags.writeable
        assert picture.flags.c_contiguous
    kept = second["FRONT_FACING_CAMERA"].copy()
    first["FRONT_FACING_CAMERA"][:] = 0
    env.step(STRAIGHT)
    assert (second["FRONT_FACING_CAMERA"] == kept).all()
    assert kept.std() > 10, "a picture, not a plain surface"


def test_pictures_have_their_channels_first(env):
    picture = env.reset(seed=1)[0]["FRONT_FACING_CAMERA"]
    red, green, blue = picture[:, 110, 80].tolist()
    assert red > 200 > green > 100 > 50 > blue, "a dash of the centre line, orange"
    # Asphalt is nearly grey, a shade for each pixel.
    asphalt = picture[:, 110, 30:60].astype(int)
    assert np.abs(asphalt - asphalt.mean(axis=0)).max() < 10
    assert 40 < asphalt.mean() < 110
    assert len(np.unique(asphalt[0])) > 5


def test_infos_are_the_callers_own(env):
    _, info = env.reset(seed=1)
    kept = list(info["reward_params"]["waypoints"])
    info["reward_params"]["waypoints"].clear()
    info["reward_params"].clear()
    info["episode_status"].clear()
    info = env.step(STRAIGHT)[4]
    assert info["reward_params"]["waypoints"] == kept
    assert kept[0] == kept[-1], "a loop's last waypoint is its first"


def test_a_lap_is_terminated_as_complete(env):
    number, terminated, truncated, info, _ = drive_until_the_end(env, look_ahead)
    assert (terminated, truncated) == (True, False)
    assert info["episode_status"]["lap_complete"], info["episode_status"]
    assert sum(info["episode_status"].values()) == 1
    assert info["reward_params"]["progress"] == 100.0
    # 16.6 m at 0.6 m/s, a little faster because the wheels are larger than the original believes.
    assert 15 * 16.6 / 0.7 < number < 15 * 16.6 / 0.55


def test_leaving_the_road_is_terminated_as_off_track(env):
    _, terminated, truncated, info, _ = drive_until_the_end(env, lambda params: RIGHT)
    assert (terminated, truncated) == (True, False)
    assert info["episode_status"]["off_track"]
    assert info["reward_params"]["is_offtrack"]


def test_a_step_limit_of_gymnasium_truncates(simulators):
    env = make(track_config=FIXED, max_episode_steps=5)
    number, terminated, truncated, _, _ = drive_until_the_end(env, lambda params: STRAIGHT)
    assert (number, terminated, truncated) == (5, False, True)
    env.close()


def test_time_is_up_after_180_simulated_seconds(simulators):
    # A crawling car is nowhere near the end of a lap by then.
    crawl = AGENT | {"action_space": [{"steering_angle": angle, "speed": 0.1} for angle in (30, 15, 0, -15, -30)]}
    env = make(agent_config=crawl, world_name="2022_june_pro", track_config=FIXED, observe="state")
    number, terminated, truncated, info, _ = drive_until_the_end(env, look_ahead)
    assert (number, terminated, truncated) == (180 * 15 - 1, False, True)
    assert info["episode_status"]["time_up"]
    env.close()
    env = make(track_config=FIXED, time_limit_s=2.0)
    number, terminated, truncated, info, _ = drive_until_the_end(env, lambda params: STRAIGHT)
    # 30 steps, the first of which reset takes.
    assert (number, terminated, truncated) == (29, False, True)
    assert info["episode_status"]["time_up"]
    assert info["reward_params"]["steps"] == 30.0
    env.close()


def test_the_same_seed_and_actions_give_the_same_bytes(simulators):
    def record(env, seed):
        generator = np.random.default_rng(4)
        told = [env.reset(seed=seed)]
        for _ in range(3):
            for _ in range(40):
                told.append(env.step(int(generator.integers(5))))
                if told[-1][2] or told[-1][3]:
                    break
            told.append(env.reset())
        return told

    track = {"CHANGE_START_POSITION": "random"}
    env, other = make(track_config=track), make(track_config=track)
    first, again, elsewhere, different = record(env, 7), record(env, 7), record(other, 7), record(env, 8)
    assert data_equivalence(first, again, exact=True)
    assert data_equivalence(first, elsewhere, exact=True)
    assert not data_equivalence(first, different)
    env.close()
    other.close()


def test_starts_go_round_the_track_and_directions_alternate(simulators):
    env = make(world_name="reinvent_base")
    starts = []
    for episode in range(4):
        _, info = env.reset(seed=5 if episode == 0 else None)
        params = info["reward_params"]
        starts.append((params["projection_distance"] / params["track_length"], params["is_reversed"]))
    ahead = 0.14 / 17.7
    assert [round(start - ahead, 2) for start, _ in starts] == [0.0, 0.05, 0.1, 0.15]
    assert [is_reversed for _, is_reversed in starts] == [False, True, False, True]
    env.close()


def test_evaluation_starts_at_one_place_in_one_direction(simulators):
    env = make(evaluation=True, world_name="reinvent_base")
    starts = [env.reset()[1]["reward_params"] for _ in range(3)]
    assert len({(start["x"], start["y"], start["is_reversed"]) for start in starts}) == 1
    env.close()


def test_options_choose_start_and_direction_of_one_episode(env):
    def start(**options):
        params = env.reset(options=options)[1]["reward_params"]
        return params["projection_distance"] / params["track_length"], params["is_reversed"]

    env.reset(seed=1)
    assert start(start_position=0.5) == (pytest.approx(0.5, abs=0.02), False)
    assert start(direction="reversed", start_position=0.25) == (pytest.approx(0.25, abs=0.02), True)
    assert start() == (pytest.approx(0.0, abs=0.02), False)
    round_one_way = {start(direction="clockwise")[1], start(direction="counterclockwise")[1]}
    assert round_one_way == {False, True}
    anywhere = {start(start_position="random")[0] for _ in range(5)}
    assert len(anywhere) == 5


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"start": 0.5}, "legal: start_position, direction, objects"),
        ({"start_position": 1.0}, "from 0 up to 1"),
        ({"start_position": float("nan")}, "from 0 up to 1"),
        ({"start_position": True}, "from 0 up to 1"),
        ({"direction": "left"}, "legal: forward, reversed, clockwise, counterclockwise"),
    ],
)
def test_wrong_options_are_refused(env, options, said):
    with pytest.raises(ValueError, match=said):
        env.reset(options=options)
    env.reset()


def test_reset_in_mid_episode_is_immediate_and_leaves_global_chance_alone(env):
    np.random.seed(1)
    expected = np.random.RandomState(1).random_sample()
    env.reset(seed=1)
    for _ in range(10):
        env.step(STRAIGHT)
    _, info = env.reset()
    assert info["reward_params"]["steps"] == 1.0
    assert np.random.random_sample() == expected


def test_the_reward_is_asked_for_once_per_step_and_never_by_reset(simulators):
    seen = []

    def reward(params):
        seen.append(params["steps"])
        return params["steps"] / 2

    env = make(track_config=FIXED, reward_function=reward)
    env.reset(seed=1)
    assert seen == []
    rewards = [env.step(STRAIGHT)[1] for _ in range(3)]
    assert seen == [2.0, 3.0, 4.0]
    assert rewards == [1.0, 1.5, 2.0]
    number, *_ = drive_until_the_end(env, lambda params: RIGHT)
    assert len(seen) == 3 + number
    with pytest.raises(gym.error.ResetNeeded, match="the episode is over"):
        env.step(RIGHT)
    assert len(seen) == 3 + number
    env.close()


def test_the_reward_sees_what_the_info_holds(simulators):
    seen = []
    env = make(reward_function=lambda params: seen.append(params) or 1.0)
    env.reset(seed=1)
    info = env.step(STRAIGHT)[4]
    assert seen[0] is info["reward_params"]
    env.close()


def test_the_default_reward_is_three_bands_about_the_centre_line(env):
    *_, rewards = drive_until_the_end(env, lambda params: RIGHT)
    assert rewards[0] == 1.0
    assert set(rewards) <= {1.0, 0.5, 0.1, 0.001}
    assert rewards[-1] == 0.001, "off the road"
    params = {"distance_from_center": 0.25, "track_width": 1.0}
    from deepracer.defaults import default_reward_function

    assert default_reward_function()(params) == 0.5
    assert default_reward_function()(params | {"distance_from_center": 0.6}) == 1e-3


def test_rewards_come_from_names_and_files(simulators, tmp_path):
    file = tmp_path / "my reward é.py"
    file.write_text("def reward_function(params):\n    return 42\n")
    for reward, expected in [("speed", 0.6), (file, 42.0), (str(file), 42.0)]:
        env = make(reward_function=reward)
        env.reset(seed=1)
        assert env.step(STRAIGHT)[1] == expected
        env.close()


@pytest.mark.parametrize(
    ("returned", "error", "said"),
    [
        (None, TypeError, "returned None of type NoneType"),
        ("1.0", TypeError, "of type str"),
        (np.array([1.0]), TypeError, r"float\(\)"),
        ([1.0], TypeError, "of type list"),
        (1j, TypeError, "of type complex"),
        (float("nan"), ValueError, "nan"),
        (float("inf"), ValueError, "inf"),
        (np.float32("nan"), ValueError, "nan"),
    ],
)
def test_rewards_that_are_no_finite_numbers_are_refused(simulators, returned, error, said):
    env = make(reward_function=lambda params: returned)
    env.reset(seed=1)
    with pytest.raises(error, match=said):
        env.step(STRAIGHT)
    env.unwrapped.reward_function = lambda params: 1
    assert env.step(STRAIGHT)[1] == 1.0, "the episode goes on"
    env.close()


def test_numbers_of_other_types_become_floats(simulators):
    for value in (3, True, np.float32(0.5), np.int64(2), np.bool_(True)):
        env = make(reward_function=lambda params, value=value: value)
        env.reset(seed=1)
        reward = env.step(STRAIGHT)[1]
        assert type(reward) is float
        assert reward == value
        env.close()


def test_errors_of_a_reward_function_reach_the_caller(simulators):
    def reward(params):
        return params["no_such_key"]

    env = make(reward_function=reward)
    env.reset(seed=1)
    with pytest.raises(KeyError, match="no_such_key"):
        env.step(STRAIGHT)
    _, info = env.reset()
    assert info["reward_params"]["steps"] == 1.0
    env.close()


@pytest.mark.parametrize("action", [2, np.int64(2), np.uint8(2), np.array(2), True])
def test_whole_numbers_are_actions(env, action):
    env.reset(seed=1)
    env.unwrapped.step(action)


@pytest.mark.parametrize(
    "action", [-1, 5, 10**30, 2.0, np.float64(2), "2", None, [2], np.array([2]), np.array(2.0), float("nan")]
)
def test_what_is_no_discrete_action_is_refused(env, action):
    env.reset(seed=1)
    for kind in (InvalidAction, AssertionError, ValueError):
        with pytest.raises(kind, match="infeasible"):
            env.unwrapped.step(action)
    assert env.unwrapped.step(STRAIGHT)[4]["reward_params"]["steps"] == 2.0, "nothing was driven"


def test_continuous_actions_spread_over_their_ranges(simulators):
    env = make(agent_config=CONTINUOUS)
    env.reset(seed=1)
    for action, expected in [
        (np.array([-1.0, -1.0]), (-30.0, 0.5)),
        (np.array([1.0, 1.0], np.float32), (30.0, 2.0)),
        (np.array([0, 0]), (0.0, 1.25)),
        ([0.5, -0.5], (15.0, 0.875)),
    ]:
        params = env.unwrapped.step(action)[4]["reward_params"]
        assert (params["steering_angle"], params["speed"]) == pytest.approx(expected)
    for wrong in ([1.1, 0], [0, -1.0001], [math.nan, 0], [0.0], [0, 0, 0], 0.5, ["0", "1"], None, [[0, 0]]):
        with pytest.raises(InvalidAction, match="infeasible"):
            env.unwrapped.step(np.array(wrong) if wrong is not None else None)
    env.close()


def test_order_is_enforced_on_the_bare_class_too(simulators):
    env = deepracer.envs.DeepracerGymEnv(agent_config=AGENT)
    for call in (lambda: env.step(STRAIGHT), env.render):
        with pytest.raises(gym.error.ResetNeeded, match=r"env\.reset\(\)"):
            call()
    with env:
        env.reset()
    for call in (lambda: env.step(STRAIGHT), env.reset, env.render):
        with pytest.raises(gym.error.ClosedEnvironmentError, match="closed"):
            call()
    env.close()


def test_render_returns_what_the_car_sees(env):
    observation, _ = env.reset(seed=1)
    picture = env.render()
    assert (picture.shape, picture.dtype) == ((120, 160, 3), np.uint8)
    assert (picture.transpose(2, 0, 1) == observation["FRONT_FACING_CAMERA"]).all()


def test_a_list_of_pictures_is_collected(simulators):
    env = make(render_mode="rgb_array_list")
    env.reset(seed=1)
    env.step(STRAIGHT)
    env.step(STRAIGHT)
    assert [picture.shape for picture in env.render()] == [(120, 160, 3)] * 3
    env.close()


def test_a_window_needs_a_display(simulators, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(RuntimeError, match="there is no display"):
        make(render_mode="human")
    with pytest.raises(ValueError, match="legal: rgb_array, human"):
        deepracer.envs.DeepracerGymEnv(agent_config=AGENT, render_mode="ansi")


def test_human_mode_shows_every_step(simulators, monkeypatch):
    from deepracer_native.environments import window

    shown = []

    class Screen:
        def __init__(self, title, width, height):
            shown.append((title, width, height))

        def show(self, picture):
            shown.append(picture.shape)

        def close(self):
            shown.append("closed")

    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(window, "open_screen", Screen)
    env = make(render_mode="human")
    env.reset(seed=1)
    env.step(STRAIGHT)
    assert env.render() is None
    env.close()
    assert shown == [("deepracer: reInvent2019_wide", 640, 480), *[(480, 640, 3)] * 3, "closed"]


def test_the_window_shows_pictures_at_the_speed_of_the_simulation(simulators, monkeypatch):
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = make(render_mode="human", track_config=FIXED)
    begun = time.monotonic()
    observation, _ = env.reset(seed=1)
    for _ in range(3):
        observation = env.step(STRAIGHT)[0]
    assert time.monotonic() - begun > 3 / 15 - 0.01
    shown = pygame.surfarray.array3d(pygame.display.get_surface())
    assert shown.shape == (640, 480, 3)
    assert (shown[::4, ::4].transpose(2, 1, 0) == observation["FRONT_FACING_CAMERA"]).all()
    env.close()


def test_a_window_needs_pygame(simulators, monkeypatch):
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setitem(sys.modules, "pygame", None)
    env = make(render_mode="human")
    with pytest.raises(RuntimeError, match=r"pip install .deepracer\[human\]."):
        env.reset()
    env.close()


def test_the_state_vector_tells_what_the_parameters_tell(simulators):
    env = make(observe="state", track_config=FIXED)
    names = [name for name, _, _ in deepracer.envs.utils.STATE_NUMBERS]
    observation, info = env.reset(seed=1)
    assert env.observation_space.shape == (len(names),)
    for _ in range(10):
        observation, _, _, _, info = env.step(LEFT)
        assert observation in env.observation_space
    state = dict(zip(names, observation.tolist(), strict=True))
    # The parameters are those of the pose before the step, the state is the one after it: a step of 0.6 m/s between.
    params = info["reward_params"]
    assert math.hypot(state["x_m"] - params["x"], state["y_m"] - params["y"]) == pytest.approx(0.6 / 15, rel=0.2)
    assert state["speed_mps"] == pytest.approx(0.6, rel=0.1)
    assert state["yaw_rate_radps"] > 0.5
    assert state["heading_cos"] ** 2 + state["heading_sin"] ** 2 == pytest.approx(1.0)
    assert abs(state["left_of_center_m"]) == pytest.approx(params["distance_from_center"], abs=0.05)
    assert (state["left_of_center_m"] > 0) == params["is_left_of_center"]
    assert state["track_width_m"] == pytest.approx(params["track_width"], abs=1e-4)
    assert state["lap_fraction"] == pytest.approx(params["progress"] / 100, abs=0.01)
    assert env.render().shape == (120, 160, 3), "pictures on request"
    env.close()
