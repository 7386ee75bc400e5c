"""Sensors beyond the front camera, obstacles and bot cars in environments."""

import deepracer
import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

FRONT = {"sensor": ["FRONT_FACING_CAMERA"], "version": "5"}
pytestmark = pytest.mark.usefixtures("simulators")

#: Starts at the line, forwards, every time.
STILL = {"CHANGE_START_POSITION": False, "ALTERNATE_DRIVING_DIRECTION": False}
STRAIGHT = 2


def make(agent=FRONT, world="reinvent_base", **track):
    """An environment on a track of one's own choice."""
    return gym.make("deepracer-v0", agent_config=agent, track_config=STILL | track, world_name=world)


def params(env, **options) -> dict:
    """What a reward function would see at the start."""
    return env.reset(seed=3, options=options)[1]["reward_params"]


@pytest.mark.parametrize(
    ("sensors", "spaces"),
    [
        (None, {"STEREO_CAMERAS": ((2, 120, 160), "uint8"), "LIDAR": ((64,), "float32")}),
        (["LEFT_CAMERA", "SECTOR_LIDAR"], {"LEFT_CAMERA": ((3, 120, 160), "uint8"), "SECTOR_LIDAR": ((8,), "float32")}),
        (
            ["observation", "DISCRETIZED_SECTOR_LIDAR"],
            {"observation": ((3, 120, 160), "uint8"), "DISCRETIZED_SECTOR_LIDAR": ((12,), "float32")},
        ),
    ],
)
def test_every_sensor_fills_its_space(sensors, spaces):
    agent = {"lidar_config": {"num_sectors": 4, "num_values_per_sector": 3, "clipping_dist": 4.0}}
    agent |= {"sensor": sensors} if sensors else {}
    env = make(agent)
    assert {name: (s.shape, s.dtype.name) for name, s in env.observation_space.spaces.items()} == spaces
    observation, _ = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    for _ in range(5):
        observation = env.step(0)[0]
        assert env.observation_space.contains(observation)
    check_env(env.unwrapped, skip_render_check=True)
    env.close()


def test_the_default_agent_drives_as_documented():
    """No configuration at all: stereo cameras and lidar on a wide track."""
    env = gym.make("deepracer-v0")
    observation, info = env.reset(seed=1)
    assert list(observation) == ["LIDAR", "STEREO_CAMERAS"] and observation["LIDAR"].dtype == np.float32
    assert info["reward_params"]["track_length"] == pytest.approx(16.6, abs=0.1)
    env.close()


def test_the_two_cameras_of_the_pair_see_from_different_places():
    env = make({"sensor": ["STEREO_CAMERAS"]})
    left, right = env.reset(seed=1)[0]["STEREO_CAMERAS"]
    assert not (left == right).all() and abs(left.mean() - right.mean()) < 10
    env.close()


def test_the_lidar_sees_a_box_behind_the_car_and_its_noise_follows_the_seed():
    """Half a lap round, a box 0.4 m behind the start; without it the nearest thing is a wall."""
    env = make({"sensor": ["FRONT_FACING_CAMERA", "LIDAR"]})
    behind = 0.5 - 0.8 / params(env)["track_length"]

    def nearest(seed, *positions):
        lidar = env.reset(seed=seed, options={"start_position": 0.5, "objects": list(positions)})[0]["LIDAR"]
        return lidar, float(lidar[20:44].min())

    (alone, wall_m), (again, _), (other, _) = nearest(1), nearest(1), nearest(2)
    assert (alone == again).all() and not (alone == other).all()
    _, box_m = nearest(1, (behind, 1), (behind, -1))
    assert box_m < 0.8 < wall_m
    env.close()


def test_obstacles_stand_where_they_are_put_and_are_told_to_the_reward_function():
    env = make(OBJECT_POSITIONS=["0.25, -1", "0.5, 1"])
    seen = params(env)
    assert len(seen["objects_location"]) == 2 and seen["objects_speed"] == [0.0, 0.0]
    length = seen["track_length"]
    assert seen["objects_distance"] == pytest.approx([0.25 * length, 0.5 * length], abs=0.15)
    # Counter-clockwise: the inner lane is to the left.
    assert seen["objects_left_of_center"] == [False, True]
    assert seen["closest_objects"] == [1, 0]
    assert params(env, objects=["0.75, 1"])["objects_distance"] == pytest.approx([0.75 * length], abs=0.15)
    assert params(env, objects=[])["objects_location"] == []
    assert len(params(env)["objects_location"]) == 2, "the next episode is by rule again"
    with pytest.raises(ValueError, match=r"objects is .*progress from 0 to 1"):
        env.reset(options={"objects": ["1.5, 1"]})
    env.close()


def test_a_car_that_drives_into_a_box_crashes_and_is_held():
    env = make(OBJECT_POSITIONS=["0.06, 1", "0.06, -1"])
    env.reset(seed=1)
    for _ in range(60):
        _, _, terminated, truncated, info = env.step(STRAIGHT)
        if terminated or truncated:
            break
    assert terminated and info["episode_status"]["crashed"] and info["reward_params"]["is_crashed"]
    # Its front touches a box whose near side is 0.2 m before its middle.
    assert info["reward_params"]["projection_distance"] < 0.06 * info["reward_params"]["track_length"]
    env.close()


def test_boxes_are_seen_by_the_camera():
    env = make()
    empty = env.reset(seed=1, options={"objects": []})[0]["FRONT_FACING_CAMERA"]
    boxed = env.reset(seed=1, options={"objects": ["0.08, 1"]})[0]["FRONT_FACING_CAMERA"]
    changed = (empty != boxed).any(axis=0)
    assert 200 < changed.sum() < 12_000
    env.close()


def test_obstacles_move_from_episode_to_episode_when_they_shall():
    track = {"NUMBER_OF_OBSTACLES": 3, "MIN_DISTANCE_BETWEEN_OBSTACLES": 10}

    def places(env):
        return [
            tuple(map(tuple, env.reset(seed=7 if k == 0 else None)[1]["reward_params"]["objects_location"]))
            for k in range(3)
        ]

    moving, fixed = make(**track), make(**track, RANDOMIZE_OBSTACLE_LOCATIONS=False)
    first = places(moving)
    assert len(set(first)) == 3 and places(moving) == first
    assert len(set(places(fixed))) == 1
    moving.close()
    fixed.close()


def test_more_obstacles_than_fit_are_refused():
    with pytest.raises(ValueError, match=r"40 obstacles .* do not fit on reinvent_base"):
        make(NUMBER_OF_OBSTACLES=40, MIN_DISTANCE_BETWEEN_OBSTACLES=16)
    assert deepracer.running() == []


def test_bot_cars_drive():
    env = make(NUMBER_OF_BOT_CARS=2, BOT_CAR_SPEED=0.5, RANDOMIZE_BOT_CAR_LOCATIONS=False)
    before = params(env)["objects_distance"]
    for _ in range(15):
        info = env.step(STRAIGHT)[4]
    driven = np.array(info["reward_params"]["objects_distance"]) - before
    assert driven == pytest.approx([0.5, 0.5], abs=0.06) and info["reward_params"]["objects_speed"] == [0.5, 0.5]
    env.close()


def test_vector_environments_have_objects_too():
    agent = {"sensor": ["STEREO_CAMERAS", "SECTOR_LIDAR"]}
    envs = deepracer.make_vec(3, agent_config=agent, track_config=STILL, world_name="reinvent_base")
    observations, infos = envs.reset(seed=1, options={"objects": [["0.25, 1"], [], ["0.1, 1", "0.2, -1"]]})
    assert observations["SECTOR_LIDAR"].shape == (3, 8) and observations["SECTOR_LIDAR"].dtype == np.float32
    assert observations["STEREO_CAMERAS"].shape == (3, 2, 120, 160)
    assert [len(places) for places in infos["reward_params"]["objects_location"]] == [1, 0, 2]
    _, infos = envs.reset(options={"objects": ["0.5, 1"]})
    assert [len(places) for places in infos["reward_params"]["objects_location"]] == [1, 1, 1]
    envs.close()


def test_domain_randomisation_changes_the_light_from_episode_to_episode():
    env = make(ENABLE_DOMAIN_RANDOMIZATION=True)
    first = env.reset(seed=5)[0]["FRONT_FACING_CAMERA"]
    second = env.reset()[0]["FRONT_FACING_CAMERA"]
    assert (env.reset(seed=5)[0]["FRONT_FACING_CAMERA"] == first).all()
    assert not (first == second).all(), "the same place in another light"
    plain = make()
    assert not (plain.reset(seed=5)[0]["FRONT_FACING_CAMERA"] == first).all()
    plain.close()
    env.close()


@pytest.mark.parametrize("camera", ["follow", "top"])
def test_spectators_see_the_car_and_what_stands_on_the_road(camera):
    def picture(colour, *positions):
        env = gym.make(
            "deepracer-v0",
            agent_config=FRONT,
            track_config=STILL | {"CAR_COLOR": colour},
            world_name="reinvent_base",
            render_mode="rgb_array",
            render_camera=camera,
        )
        env.reset(seed=1, options={"objects": list(positions)})
        env.step(STRAIGHT)
        seen = env.render()
        env.close()
        return seen

    black, white = picture("Black"), picture("White")
    assert black.shape == (480, 640, 3) and black.dtype == np.uint8
    of_the_car = (black != white).any(axis=2).sum()
    of_a_box = (black != picture("Black", "0.08, 1")).any(axis=2).sum()
    assert 20 < of_the_car < 20_000 and 20 < of_a_box < 20_000


def test_the_following_camera_follows():
    env = gym.make(
        "deepracer-v0",
        agent_config=FRONT,
        track_config=STILL,
        world_name="reinvent_base",
        render_mode="rgb_array",
        render_camera="follow",
    )
    env.reset(seed=1)
    first = env.render()
    for _ in range(10):
        env.step(STRAIGHT)
    assert not (env.render() == first).all()
    env.reset(seed=1)
    assert (env.render() == first).all(), "it jumps behind a car that begins anew"
    env.close()


def test_vector_environments_show_each_race_from_outside():
    envs = deepracer.make_vec(2, agent_config=FRONT, world_name="reinvent_base", render_camera="top")
    envs.reset(seed=1)
    pictures = envs.render()
    assert len(pictures) == 2 and pictures[0].shape == (480, 640, 3)
    envs.close()
