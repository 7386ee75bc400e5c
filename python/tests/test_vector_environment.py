"""Many environments at once: the same as single ones, in every autoreset mode."""

import deepracer
import gymnasium as gym
import numpy as np
import pytest
from deepracer.errors import InvalidAction, UnsupportedConfiguration
from environments import AGENT, CONTINUOUS, FIXED, RIGHT, STRAIGHT, make, make_vec
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

MODES = list(AutoresetMode)


def same_infos(ours, theirs):
    """Compare with what Gymnasium's own vector environment makes of single ones: lists are tuples here."""
    assert set(ours) == set(theirs)
    for key, value in ours.items():
        if isinstance(value, dict):
            same_infos(value, theirs[key])
        elif value.dtype == object and key != "final_obs":
            for own, other in zip(value, theirs[key], strict=True):
                assert (own is None) == (other is None)
                if own is not None:
                    assert [tuple(o) if isinstance(o, list) else o for o in other] == list(own), key
        elif value.ndim == 2:
            assert value.tolist() == [list(pair) for pair in theirs[key]], key
        elif key == "final_obs":
            assert data_equivalence(value, theirs[key], exact=True)
        else:
            assert value.dtype == theirs[key].dtype, key
            assert (value == theirs[key]).all(), key


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("agent", [AGENT, CONTINUOUS], ids=["discrete", "continuous"])
def test_it_does_what_single_environments_do(simulators, monkeypatch, mode, agent):
    monkeypatch.setenv("DEEPRACER_MAX_ENVS", "8")
    tracks = [{}, {"WORLD_NAME": "reinvent_base"}, {"CHANGE_START_POSITION": "random"}]
    sync = SyncVectorEnv(
        [lambda track=track: make(agent_config=agent, track_config=track) for track in tracks], autoreset_mode=mode
    )
    native = make_vec(3, agent_config=agent, track_config=tracks, autoreset_mode=mode, num_threads=2)
    assert native.metadata["autoreset_mode"] == mode
    assert native.action_space == sync.action_space
    assert native.observation_space == sync.observation_space
    generator = np.random.default_rng(3)
    ours, theirs = native.reset(seed=5), sync.reset(seed=5)
    num_ends = 0
    for _ in range(80):
        assert data_equivalence(ours[0], theirs[0], exact=True)
        assert len(ours) == len(theirs)
        for own, other in zip(ours[1:-1], theirs[1:-1], strict=True):
            assert data_equivalence(own, other, exact=True)
        same_infos(ours[-1], theirs[-1])
        if len(ours) == 5:
            ended = ours[2] | ours[3]
            num_ends += int(ended.sum())
            if mode == AutoresetMode.DISABLED and ended.any():
                ours = native.reset(options={"reset_mask": ended.copy()})
                theirs = sync.reset(options={"reset_mask": ended.copy()})
                # Single environments tell only of those that were reset.
                assert data_equivalence(ours[0], theirs[0], exact=True)
        discrete = agent is AGENT
        # Mostly to one side, so that episodes end.
        actions = (
            generator.choice(5, 3, p=[0.1, 0.1, 0.1, 0.2, 0.5]) if discrete else generator.uniform(-1, 0.1, (3, 2))
        )
        ours, theirs = native.step(actions), sync.step(actions)
    assert num_ends >= 3
    native.close()
    sync.close()


def test_the_number_of_threads_changes_nothing(simulators):
    def record(num_threads, num_envs=40):
        vector = make_vec(num_envs, num_threads=num_threads, world_name="reinvent_base")
        generator = np.random.default_rng(1)
        told = [vector.reset(seed=list(range(num_envs)))]
        told += [vector.step(generator.integers(0, 5, num_envs)) for _ in range(25)]
        vector.close()
        return told

    assert data_equivalence(record(1), record(2), exact=True)


@pytest.mark.parametrize("mode", MODES)
def test_built_in_rewards_equal_their_python_twins(simulators, mode):
    names = list(deepracer.rewards.BUILT_IN)
    native = make_vec(3, reward_function=names, autoreset_mode=mode)
    twins = [lambda params, f=deepracer.rewards.BUILT_IN[name]: f(params) for name in names]
    python = make_vec(3, reward_function=twins, autoreset_mode=mode)
    assert native.reward_function == names
    native.reset(seed=[4, 4, 4])
    python.reset(seed=[4, 4, 4])
    total = np.zeros(3)
    for number in range(60):
        actions = np.full(3, (STRAIGHT, RIGHT, RIGHT)[number % 3])
        _, ours, terminated, truncated, _ = native.step(actions)
        theirs = python.step(actions)[1]
        assert (ours == theirs).all()
        total += ours
        if mode == AutoresetMode.DISABLED and (terminated | truncated).any():
            for vector in (native, python):
                vector.reset(options={"reset_mask": terminated | truncated})
    assert (total > 0).all()
    native.close()
    python.close()


def test_a_function_is_called_once_per_driven_step_in_order(simulators):
    calls = []
    rewards = [lambda params, k=k: calls.append((k, params["steps"])) or k for k in range(3)]
    vector = make_vec(3, reward_function=rewards, track_config=FIXED, time_limit_s=0.2)
    vector.reset(seed=1)
    told = [vector.step(np.full(3, STRAIGHT)) for _ in range(4)]
    # Three steps last 0.2 s, the first of which reset takes; then a step resets and is not judged.
    assert [steps for k, steps in calls if k == 0] == [2.0, 3.0, 2.0]
    assert [k for k, _ in calls] == [0, 1, 2] * 3
    assert [list(reward) for _, reward, *_ in told] == [[0, 1, 2], [0, 1, 2], [0, 0, 0], [0, 1, 2]]
    assert [truncated.all() for *_, truncated, _ in told] == [False, True, False, False]
    vector.close()


def test_in_the_same_step_the_last_observation_is_kept(simulators):
    vector = make_vec(2, autoreset_mode="SameStep", track_config=FIXED, time_limit_s=0.2)
    single = make(track_config=FIXED, time_limit_s=0.2)
    vector.reset(seed=[1, 2])
    single.reset(seed=1)
    for _ in range(2):
        observation, _, _, truncated, infos = vector.step(np.full(2, STRAIGHT))
        last, *_ = single.step(STRAIGHT)
    assert truncated.all()
    assert infos["reward_params"]["steps"].tolist() == [1.0, 1.0]
    assert infos["final_info"]["reward_params"]["steps"].tolist() == [3.0, 3.0]
    assert infos["final_info"]["episode_status"]["time_up"].tolist() == [True, True]
    assert data_equivalence(infos["final_obs"][0], last, exact=True)
    assert not data_equivalence(infos["final_obs"][0]["FRONT_FACING_CAMERA"], observation["FRONT_FACING_CAMERA"][0])
    vector.close()
    single.close()


def test_errors_of_a_function_reach_the_caller(simulators):
    vector = make_vec(2, reward_function=[lambda params: 1.0, lambda params: params["no_such_key"]])
    vector.reset(seed=1)
    with pytest.raises(KeyError, match="no_such_key") as raised:
        vector.step(np.full(2, STRAIGHT))
    if hasattr(raised.value, "__notes__"):
        assert "the reward function was called with steps 2" in raised.value.__notes__[0]
    vector.reward_function = lambda params: None
    with pytest.raises(TypeError, match="returned None"):
        vector.step(np.full(2, STRAIGHT))
    vector.reward_function = "speed"
    assert vector.step(np.full(2, STRAIGHT))[1].tolist() == [0.6, 0.6]
    vector.close()


@pytest.mark.parametrize(
    "actions",
    [[0, 5], [-1, 0], [0], [0, 0, 0], [[0, 0]], [0.0, 1.0], ["0", "1"], [None, 0], 3, [10**20, 0], [float("nan"), 0]],
)
def test_wrong_actions_are_refused_before_anything_drives(simulators, actions):
    vector = make_vec(2)
    vector.reset(seed=1)
    for kind in (InvalidAction, AssertionError, ValueError):
        with pytest.raises(kind, match="infeasible"):
            vector.step(actions)
    infos = vector.step(np.array([1, 2], np.int32))[4]
    assert infos["reward_params"]["steps"].tolist() == [2.0, 2.0]
    vector.close()


@pytest.mark.parametrize(
    "actions", [[[0, 1.5], [0, 0]], [[0, 0]], [0, 0], [[float("nan"), 0], [0, 0]], [["a", "b"]] * 2]
)
def test_wrong_continuous_actions_are_refused(simulators, actions):
    vector = make_vec(2, agent_config=CONTINUOUS)
    vector.reset(seed=1)
    with pytest.raises(InvalidAction, match="infeasible"):
        vector.step(np.array(actions))
    vector.step(np.zeros((2, 2), np.float32))
    vector.close()


def test_order_is_enforced(simulators):
    vector = make_vec(3, autoreset_mode="Disabled", track_config=FIXED, time_limit_s=0.2)
    actions = np.full(3, STRAIGHT)
    with pytest.raises(gym.error.ResetNeeded, match=r"environments 0, 1, 2"):
        vector.step(actions)
    some = np.array([True, False, True])
    with pytest.raises(gym.error.ResetNeeded, match=r"environments 1 have never been reset"):
        vector.reset(options={"reset_mask": some})
    vector.reset(seed=1)
    vector.step(actions)
    assert vector.step(actions)[3].all()
    with pytest.raises(gym.error.ResetNeeded, match=r"environments 0, 1, 2"):
        vector.step(actions)
    vector.reset(options={"reset_mask": np.ones(3, bool)})
    vector.step(actions)
    for mask, kind in [([True] * 3, TypeError), (np.ones(2, bool), ValueError), (np.ones(3), TypeError)]:
        with pytest.raises(kind, match="reset_mask"):
            vector.reset(options={"reset_mask": mask})
    with pytest.raises(ValueError, match="selects no environment"):
        vector.reset(options={"reset_mask": np.zeros(3, bool)})
    vector.close()
    vector.close()
    with pytest.raises(gym.error.ClosedEnvironmentError, match="closed"):
        vector.reset()


def test_seeds_and_options_may_differ(simulators):
    vector = make_vec(3, track_config={"CHANGE_START_POSITION": "random", "ALTERNATE_DRIVING_DIRECTION": False})

    def starts(**arguments):
        return vector.reset(**arguments)[1]["reward_params"]["x"].tolist()

    counted, listed = starts(seed=7), starts(seed=[7, 8, 9])
    assert counted == listed
    assert len(set(counted)) == 3
    assert starts(seed=[7, 7, 7]) == [counted[0]] * 3
    assert starts() != counted, "the next episodes"
    with pytest.raises(ValueError, match="seed lists 2 values for 3 environments"):
        vector.reset(seed=[1, 2])
    params = vector.reset(options={"start_position": [0.0, 0.25, 0.5], "direction": "reversed"})[1]["reward_params"]
    share = params["projection_distance"] / params["track_length"]
    assert share.tolist() == pytest.approx([0.01, 0.26, 0.51], abs=0.02)
    assert params["is_reversed"].all()
    with pytest.raises(ValueError, match="legal: start_position, direction, objects, reset_mask"):
        vector.reset(options={"start": 1})
    vector.close()


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"num_envs": 0}, ValueError, "num_envs is 0; legal: 1 or more"),
        ({"num_envs": 2.0}, TypeError, "num_envs must be a whole number"),
        ({"num_threads": 0}, ValueError, "num_threads is 0"),
        ({"track_config": [{}, {}, {}]}, ValueError, "track_config lists 3 values for 2 environments"),
        ({"agent_config": [AGENT, CONTINUOUS]}, ValueError, "need the same spaces"),
        ({"world_name": ["reinvent_base", "nowhere"]}, ValueError, "Unknown WORLD_NAME 'nowhere'"),
        ({"autoreset_mode": "Never"}, ValueError, "Never"),
        ({"manage_container": False}, UnsupportedConfiguration, "manage_container is False"),
        ({"render_mode": "human"}, UnsupportedConfiguration, "render_mode"),
    ],
)
def test_wrong_arguments_are_refused(simulators, arguments, error, said):
    with pytest.raises(error, match=said):
        deepracer.envs.DeepracerVectorEnv(**({"num_envs": 2, "agent_config": AGENT} | arguments))
    assert deepracer.running() == []


def test_wrappers_of_gymnasium_work(simulators):
    vector = RecordEpisodeStatistics(make_vec(2, track_config=FIXED, time_limit_s=0.4))
    vector = DictInfoToList(vector)
    vector.reset(seed=1)
    for _ in range(5):
        _, _, _, truncated, infos = vector.step(np.full(2, STRAIGHT))
    assert truncated.all()
    assert infos[0]["episode"]["l"] == 5
    assert infos[0]["episode"]["r"] == 5.0
    assert infos[1]["reward_params"]["steps"] == 6.0
    vector.close()


def test_observations_are_fresh_unless_asked_otherwise(simulators):
    for copy in (True, False):
        vector = make_vec(2, copy=copy)
        first, _ = vector.reset(seed=1)
        second = vector.step(np.full(2, STRAIGHT))[0]
        assert (first["FRONT_FACING_CAMERA"] is second["FRONT_FACING_CAMERA"]) == (not copy)
        assert second["FRONT_FACING_CAMERA"].flags.c_contiguous
        assert second in vector.observation_space
        vector.close()


def test_states_of_many_cars(simulators):
    vector = make_vec(40, observe="state", autoreset_mode="SameStep", track_config={"CHANGE_START_POSITION": "random"})
    single = make(observe="state", track_config={"CHANGE_START_POSITION": "random"})
    ours, _ = vector.reset(seed=3)
    theirs, _ = single.reset(seed=5)
    assert ours.shape == (40, len(deepracer.envs.utils.STATE_NUMBERS))
    assert (ours[2] == theirs).all()
    for _ in range(30):
        ours, rewards, terminated, truncated, infos = vector.step(np.full(40, RIGHT))
        if "final_obs" in infos:
            break
    assert (terminated | truncated).any()
    ended = int(np.flatnonzero(terminated | truncated)[0])
    assert infos["final_obs"][ended].shape == (len(deepracer.envs.utils.STATE_NUMBERS),)
    assert rewards[ended] == 0.001
    vector.close()
    single.close()


def test_render_shows_every_race(simulators):
    vector = make_vec(2)
    with pytest.raises(gym.error.ResetNeeded):
        vector.render()
    observations, _ = vector.reset(seed=1)
    pictures = vector.render()
    assert [picture.shape for picture in pictures] == [(120, 160, 3)] * 2
    assert (pictures[1].transpose(2, 0, 1) == observations["FRONT_FACING_CAMERA"][1]).all()
    vector.close()


def test_the_worlds_are_listed_and_the_rewards_too(simulators):
    vector = make_vec(2, world_name=["reinvent_base", "Oval_track"])
    assert [each.world for each in deepracer.running()] == ["Oval_track, reinvent_base"]
    lengths = vector.reset(seed=1)[1]["reward_params"]["track_length"]
    assert lengths[0] != lengths[1]
    assert vector.get_attr("reward_function") == ("center_line", "center_line")
    assert vector.get_attr("num_envs") == (2, 2)
    vector.close()
