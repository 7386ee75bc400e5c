"""Configurations: how they are merged, and what is refused with which error, before anything is started."""

import json
import re
import warnings

import deepracer
import numpy as np
import pytest
from deepracer.defaults import default_agent_config, default_track_config, resolve_agent_config, resolve_track_config
from deepracer.envs.utils import make_action_space, make_observation_space
from deepracer.service.validate import effective_world, known_tracks, validate_configs
from environments import AGENT, CONTINUOUS, make


def test_the_defaults_are_the_documented_ones():
    agent, track = default_agent_config(), default_track_config()
    actions = [(action["steering_angle"], action["speed"]) for action in agent["action_space"]]
    assert actions == [(30, 0.6), (15, 0.6), (0, 0.6), (-15, 0.6), (-30, 0.6)]
    assert agent["sensor"] == ["STEREO_CAMERAS", "LIDAR"]
    assert agent["version"] == "6"
    assert (track["WORLD_NAME"], track["CHANGE_START_POSITION"]) == ("reInvent2019_wide", True)
    assert track["MIN_DISTANCE_BETWEEN_OBSTACLES"] == 16.0
    agent["sensor"].append("changed")
    assert default_agent_config()["sensor"] == ["STEREO_CAMERAS", "LIDAR"]
    space, sensors = make_observation_space()
    assert list(space.spaces) == ["LIDAR", "STEREO_CAMERAS"]
    assert sensors == ["STEREO_CAMERAS", "LIDAR"]
    assert space["STEREO_CAMERAS"].shape == (2, 120, 160)
    assert (space["LIDAR"].shape, space["LIDAR"].dtype) == ((64,), np.float32)
    assert (space["LIDAR"].low[0], space["LIDAR"].high[0]) == (np.float32(0.15), np.inf)
    assert make_action_space()[0].n == 5


def test_configurations_are_merged_key_by_key():
    actions = [{"steering_angle": 0, "speed": 1}]
    assert resolve_agent_config({"action_space": actions}) == default_agent_config() | {"action_space": actions}
    assert resolve_track_config({"WORLD_NAME": "Oval_track"})["NUMBER_OF_OBSTACLES"] == 0
    assert resolve_track_config() == default_track_config()


def test_files_are_read_and_merged(simulators, tmp_path):
    agent = tmp_path / "model metadata é.json"
    agent.write_text("\ufeff" + json.dumps(AGENT | {"action_space": [{"steering_angle": 1, "speed": 2, "index": 0}]}))
    track = tmp_path / "track.yaml"
    track.write_text("WORLD_NAME: reinvent_base\nCHANGE_START_POSITION: 'False'\nNUMBER_OF_OBSTACLES: '0'\n")
    for form in (str, lambda path: path):
        env = make(agent_config=form(agent), track_config=form(track))
        assert env.action_space.n == 1
        _, info = env.reset()
        assert info["reward_params"]["track_length"] == pytest.approx(17.7, abs=0.1)
        env.close()
    empty = tmp_path / "empty.yaml"
    empty.write_text("")
    assert resolve_track_config(empty) == default_track_config()


@pytest.mark.parametrize(
    ("argument", "value", "error", "said"),
    [
        ("agent_config", 5, TypeError, "agent_config must be a dict, the path of a file or None, not int"),
        ("agent_config", ["a"], TypeError, "agent_config must be a dict.* not list"),
        ("track_config", [("WORLD_NAME", "x")], TypeError, "track_config must be a dict.* not list"),
        ("agent_config", "nowhere.json", FileNotFoundError, "agent_config: there is no file nowhere.json"),
        ("world_name", 7, TypeError, "world_name must be a string or None, not int"),
        ("reward_function", 7, TypeError, "reward_function must be a function of one argument, not int"),
        ("reward_function", "centre", ValueError, "legal: center_line, progress, speed"),
        ("reward_function", "nowhere.py", FileNotFoundError, "nowhere.py"),
        ("quality", "best", ValueError, "quality is 'best'; legal: fast, standard, fine"),
        ("observe", "pixels", ValueError, "observe is 'pixels'; legal: sensors, state"),
        ("time_limit_s", -1, ValueError, "time_limit_s is -1"),
        ("time_limit_s", float("nan"), ValueError, "time_limit_s is nan"),
        ("render_camera", "side", ValueError, "legal: onboard, follow, top"),
        ("no_such_argument", 1, TypeError, "no_such_argument"),
    ],
)
def test_wrong_arguments_are_refused(simulators, argument, value, error, said):
    with pytest.raises(error, match=said):
        make(**{argument: value})
    assert deepracer.running() == []


@pytest.mark.parametrize("text", ["{", "- a\n- b\n", "a: [1, 2"])
def test_files_that_hold_no_configuration_are_refused(tmp_path, text):
    for suffix in ("json", "yaml"):
        file = tmp_path / f"broken.{suffix}"
        file.write_text(text)
        with pytest.raises(ValueError, match=f"track_config: .*{re.escape(str(file))}"):
            resolve_track_config(file)


def action(**changes):
    return {"steering_angle": 0, "speed": 1} | changes


def ranges(**changes):
    steering, speed = {"low": -30, "high": 30}, {"low": 0.5, "high": 2}
    return {"steering_angle": steering, "speed": speed} | changes


WRONG_AGENTS = [
    ({"action_space_type": "both"}, ValueError, "action_space_type is wrongly defined as 'both'"),
    ({"action_space_type": None}, ValueError, "action_space_type is wrongly defined as None"),
    ({"action_space": ranges()}, AssertionError, '"action_space_type": "continuous"'),
    ({"action_space": 5}, AssertionError, "must be a list of actions, not int"),
    ({"action_space": []}, ValueError, "action_space is empty"),
    ({"action_space": [5]}, AssertionError, r"action_space\[0\] is 5"),
    ({"action_space": [action(), {"speed": 1}]}, AssertionError, r"action_space\[1\] has no steering_angle"),
    ({"action_space": [{"steering_angle": 1}]}, AssertionError, r"action_space\[0\] has no speed"),
    ({"action_space": [action(speed="1")]}, AssertionError, r"action_space\[0\].speed is '1'"),
    ({"action_space": [action(speed=float("nan"))]}, AssertionError, r"action_space\[0\].speed is nan"),
    ({"action_space": [action(steering_angle=True)]}, AssertionError, r"action_space\[0\].steering_angle is True"),
    (CONTINUOUS | {"action_space": [action()]}, AssertionError, '"action_space_type": "discrete"'),
    (CONTINUOUS | {"action_space": {"speed": {}}}, AssertionError, r"action_space\.steering_angle is None"),
    (CONTINUOUS | {"action_space": ranges(speed=5)}, AssertionError, r"action_space\.speed is 5"),
    (CONTINUOUS | {"action_space": ranges(speed={"low": 1})}, AssertionError, r"action_space\.speed\.high is None"),
    (CONTINUOUS | {"action_space": ranges(speed={"low": "1", "high": 2})}, AssertionError, r"speed\.low is '1'"),
    (CONTINUOUS | {"action_space": ranges(speed={"low": 2, "high": 2})}, AssertionError, "low 2 must lie below high 2"),
    ({"sensor": None}, ValueError, "must be a non-empty list"),
    ({"sensor": []}, ValueError, "must be a non-empty list"),
    ({"sensor": ("FRONT_FACING_CAMERA",)}, ValueError, "must be a non-empty list"),
    ({"sensor": ["CAMERA"]}, ValueError, "Unsupported sensor 'CAMERA'; legal: FRONT_FACING_CAMERA"),
    ({"sensor": [5]}, ValueError, "Unsupported sensor 5"),
    ({"sensor": ["FRONT_FACING_CAMERA", "STEREO_CAMERAS"]}, ValueError, "one camera"),
    ({"sensor": ["FRONT_FACING_CAMERA", "FRONT_FACING_CAMERA"]}, ValueError, "one camera"),
    ({"sensor": ["LIDAR"]}, ValueError, "only sensor"),
    ({"sensor": ["FRONT_FACING_CAMERA", "LIDAR", "SECTOR_LIDAR"]}, ValueError, "at most one lidar"),
    ({"version": "six"}, ValueError, "version is 'six'"),
    ({"version": None}, ValueError, "version is None"),
]


@pytest.mark.parametrize(("agent", "error", "said"), WRONG_AGENTS)
def test_wrong_agents_are_refused(simulators, agent, error, said):
    with pytest.raises(error, match=said):
        make(agent_config=AGENT | agent)
    with pytest.raises(ValueError, match=said):
        make(agent_config=AGENT | agent)
    assert deepracer.running() == []


WRONG_TRACKS = [
    ({"WORLD_NAME": ""}, "no world is specified"),
    ({"WORLD_NAME": None}, "no world is specified"),
    ({"WORLD_NAME": "reinvent_bsae"}, "Unknown WORLD_NAME 'reinvent_bsae'. Did you mean reinvent_base"),
    ({"WORLD_NAME": "reInvent2019_Wide"}, "Unknown WORLD_NAME"),
    ({"WORLD_NAME": "../etc/passwd"}, "Unknown WORLD_NAME"),
    ({"NUMBER_OF_OBSTACLES": "few"}, "NUMBER_OF_OBSTACLES is 'few'; legal: a whole number, 0 or more"),
    ({"NUMBER_OF_OBSTACLES": "-1"}, "NUMBER_OF_OBSTACLES is '-1'"),
    ({"NUMBER_OF_OBSTACLES": 1.5}, "NUMBER_OF_OBSTACLES is 1.5"),
    ({"NUMBER_OF_OBSTACLES": None}, "NUMBER_OF_OBSTACLES is None"),
    ({"NUMBER_OF_BOT_CARS": -2}, "NUMBER_OF_BOT_CARS is -2"),
    ({"BOT_CAR_SPEED": "fast"}, "BOT_CAR_SPEED is 'fast'; legal: a number of m/s from 0 to 4"),
    ({"BOT_CAR_SPEED": float("nan")}, "BOT_CAR_SPEED is nan"),
    ({"BOT_CAR_SPEED": -0.2}, "BOT_CAR_SPEED is -0.2"),
    ({"LOWER_LANE_CHANGE_TIME": "x"}, "LOWER_LANE_CHANGE_TIME is 'x'"),
    ({"UPPER_LANE_CHANGE_TIME": "inf"}, "UPPER_LANE_CHANGE_TIME is 'inf'"),
    ({"LOWER_LANE_CHANGE_TIME": 6}, "LOWER_LANE_CHANGE_TIME 6 must not exceed UPPER_LANE_CHANGE_TIME 5.0"),
    ({"LANE_CHANGE_DISTANCE": []}, r"LANE_CHANGE_DISTANCE is \[\]"),
    ({"MIN_DISTANCE_BETWEEN_BOT_CARS": "2 m"}, "MIN_DISTANCE_BETWEEN_BOT_CARS is '2 m'"),
    ({"CHANGE_START_POSITION": "yes"}, "CHANGE_START_POSITION is 'yes'; legal: true, false, random"),
    ({"ALTERNATE_DRIVING_DIRECTION": 2}, "ALTERNATE_DRIVING_DIRECTION is 2; legal: true, false"),
    ({"OBJECT_POSITIONS": "0.2, 1"}, "OBJECT_POSITIONS is '0.2, 1'; legal: a list"),
    ({"OBJECT_POSITIONS": ["20, 1"]}, "OBJECT_POSITIONS is .*progress from 0 to 1"),
    ({"OBJECT_POSITIONS": ["0.2"]}, "OBJECT_POSITIONS is"),
    ({"RACE_TYPE": "HEAD_TO_HEAD"}, "RACE_TYPE is 'HEAD_TO_HEAD'; legal: TIME_TRIAL, OBJECT_AVOIDANCE, HEAD_TO_BOT"),
    ({"NUMBER_OF_REVERSE_COUNTS": 0}, "NUMBER_OF_REVERSE_COUNTS is 0"),
    ({"START_POSITION_OFFSET": 5}, "START_POSITION_OFFSET is 5"),
    ({"IS_CONTINUOUS": True}, "IS_CONTINUOUS is true"),
]


@pytest.mark.parametrize(("track", "said"), WRONG_TRACKS)
def test_wrong_tracks_are_refused(simulators, track, said):
    with pytest.raises(ValueError, match=said):
        make(track_config=track)
    assert deepracer.running() == []


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"num_sectors": 7}, "num_sectors is 7; legal: 1, 2, 4"),
        ({"num_sectors": True}, "num_sectors is True"),
        ({"num_values_per_sector": 0}, "num_values_per_sector is 0"),
        ({"clipping_dist": 0.1}, "clipping_dist is 0.1; legal: metres from 0.15 to 12"),
        ({"clipping_dist": "far"}, "clipping_dist is 'far'"),
        ({"sectors": 8}, "lidar_config has 'sectors'; legal: num_sectors"),
        ([8], r"lidar_config is \[8\]; legal: a dict"),
    ],
)
def test_wrong_lidars_are_refused(simulators, config, said):
    agent = {"sensor": ["FRONT_FACING_CAMERA", "DISCRETIZED_SECTOR_LIDAR"], "lidar_config": config}
    with pytest.raises(ValueError, match=said):
        make(agent_config=agent)


def test_text_and_native_values_mean_the_same(simulators):
    def starts(**track):
        env = make(track_config=track)
        found = [env.reset(seed=1 if k == 0 else None)[1]["reward_params"]["projection_distance"] for k in range(3)]
        env.close()
        return found

    native = starts(CHANGE_START_POSITION=False, ALTERNATE_DRIVING_DIRECTION=False, NUMBER_OF_OBSTACLES=0)
    text = starts(CHANGE_START_POSITION="False", ALTERNATE_DRIVING_DIRECTION=" fAlSe", NUMBER_OF_OBSTACLES="0")
    assert native == text
    assert len(set(native)) == 1
    assert len(set(starts(ALTERNATE_DRIVING_DIRECTION=0))) == 3
    assert len(set(starts(CHANGE_START_POSITION="Random", ALTERNATE_DRIVING_DIRECTION=0))) == 3


def test_probable_mistakes_are_warned_of(simulators):
    for arguments, said in [
        ({"track_config": {"NUMBER_OF_OBSTACLE": 0}}, "'NUMBER_OF_OBSTACLE' is not a key.*Did you mean NUMBER_OF_OBST"),
        ({"agent_config": AGENT | {"sensors": []}}, "'sensors' is not a key.*Did you mean sensor"),
        ({"agent_config": AGENT | {"action_space": [action(speed=5)]}}, "speeds outside 0.1 to 4 m/s are clipped"),
        ({"agent_config": AGENT | {"action_space": [action(steering_angle=45)]}}, "beyond ±30° are clipped"),
    ]:
        with pytest.warns(UserWarning, match=said):
            make(**arguments).close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make(
            agent_config=AGENT | {"training_algorithm": "clipped_ppo"}, track_config={"RACE_TYPE": "TIME_TRIAL"}
        ).close()


def test_arguments_for_containers_are_explained_once(simulators, monkeypatch):
    from deepracer_native.environments import backends

    monkeypatch.setattr(backends, "_has_explained", False)
    with pytest.warns(UserWarning, match="image, cpus, memory: the simulator runs in this process"):
        make(image="x", cpus=1.0, memory="1g").close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make(image="y", cpus=2.0, memory="2g").close()


def test_a_given_world_wins(simulators):
    env = make(track_config={"WORLD_NAME": "nonsense"}, world_name="Oval_track")
    assert env.unwrapped.configuration.world == "Oval_track"
    env.close()
    assert effective_world({"WORLD_NAME": "a"}, None, True) == "a"
    assert effective_world({"WORLD_NAME": "a"}, "b", True) == "b"


def test_all_published_worlds_are_known():
    names = known_tracks()
    assert len(names) == 127
    assert {"reInvent2019_wide", "reinvent_base", "Vegas_track", "2022_march_pro_ccw"} <= names
    from importlib.resources import files

    assert set((files("deepracer.defaults") / "tracks.txt").read_text().split()) == names


def test_configurations_can_be_checked_alone():
    validate_configs(default_agent_config(), default_track_config())
    with pytest.raises(ValueError, match="RACE_TYPE"):
        validate_configs(default_agent_config(), default_track_config() | {"RACE_TYPE": "x"})


def test_imported_routes_of_the_racing_folder_are_worlds(simulators, tmp_path, monkeypatch):
    turn = np.linspace(0, 2 * np.pi, 101)
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    ring[-1] = ring[0]
    (tmp_path / "run.env").write_text("")
    tracks = tmp_path / "data" / "tracks"
    tracks.mkdir(parents=True)
    np.save(tracks / "my_ring.npy", np.hstack([3.0 * ring, 2.5 * ring, 3.5 * ring]))
    monkeypatch.chdir(tmp_path)
    env = make(world_name="my_ring")
    _, info = env.reset()
    assert info["reward_params"]["track_length"] == pytest.approx(6 * np.pi, rel=1e-2)
    assert info["reward_params"]["track_width"] == pytest.approx(1.0, rel=1e-2)
    env.close()
    monkeypatch.chdir("/")
    with pytest.raises(ValueError, match="Unknown WORLD_NAME 'my_ring'"):
        make(world_name="my_ring")
    monkeypatch.setenv("DR_DIR", str(tmp_path))
    make(world_name="my_ring").close()


def test_model_versions_drive_differently(simulators):
    positions = set()
    for version in ("4", 5, 6.0):
        env = make(agent_config=AGENT | {"version": version}, track_config={"CHANGE_START_POSITION": False})
        env.reset(seed=1)
        for _ in range(10):
            params = env.step(0)[4]["reward_params"]
        positions.add((params["x"], params["y"]))
        env.close()
    assert len(positions) == 3


def test_resets_within_an_episode_cost_time(simulators):
    env = make(track_config={"NUMBER_OF_RESETS": "1", "OFF_TRACK_PENALTY": 1.0, "CHANGE_START_POSITION": False})
    env.reset(seed=1)
    seen = []
    for _ in range(2000):
        _, _, terminated, truncated, info = env.step(4)
        seen.append(info["episode_status"]["off_track"])
        if terminated or truncated:
            break
    assert terminated
    assert seen.count(True) == 2, "one forgiven, one final"
    env.close()
