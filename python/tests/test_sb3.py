"""Stable-Baselines3: its vector environment over native races. Skipped where it is not installed."""

import numpy as np
import pytest
from environments import AGENT, FIXED, RIGHT, STRAIGHT, make

stable_baselines3 = pytest.importorskip("stable_baselines3")


def make_sb3(num_envs, **arguments):
    from deepracer.sb3 import make_vec_env

    return make_vec_env(num_envs, **({"agent_config": AGENT, "track_config": FIXED} | arguments))


def test_it_does_what_a_single_environment_does(simulators):
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import DummyVecEnv

    ours = make_sb3(2, seed=4, time_limit_s=1.0, full_infos=True)
    theirs = DummyVecEnv([lambda: Monitor(make(track_config=FIXED, time_limit_s=1.0))] * 2)
    theirs.seed(4)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    seen, expected = ours.reset(), theirs.reset()
    num_ends = 0
    for number in range(40):
        name = "FRONT_FACING_CAMERA"
        assert (seen[name] == expected[name]).all()
        actions = np.array([STRAIGHT, RIGHT if number % 2 else STRAIGHT])
        seen, rewards, dones, infos = ours.step(actions)
        expected, their_rewards, their_dones, their_infos = theirs.step(actions)
        assert (rewards == their_rewards).all()
        assert rewards.dtype == np.float32
        assert (dones == their_dones).all()
        for info, other, done in zip(infos, their_infos, dones, strict=True):
            if done:
                num_ends += 1
                assert (info["terminal_observation"][name] == other["terminal_observation"][name]).all()
                assert info["TimeLimit.truncated"] == other["TimeLimit.truncated"] is True
                assert info["episode"]["l"] == other["episode"]["l"]
                assert info["episode"]["r"] == pytest.approx(other["episode"]["r"])
            elif number:
                assert info["reward_params"]["steps"] == other["reward_params"]["steps"]
    assert num_ends == 4
    ours.close()
    theirs.close()


def test_it_learns_evaluates_and_saves(simulators, tmp_path):
    from stable_baselines3 import PPO
    from stable_baselines3.common.evaluation import evaluate_policy

    envs = make_sb3(4, seed=1, observe="state", reward_function="progress")
    model = PPO("MlpPolicy", envs, n_steps=32, batch_size=64, seed=1, device="cpu")
    model.learn(total_timesteps=256)
    model.save(tmp_path / "model")
    again = PPO.load(tmp_path / "model", device="cpu")
    mean, _ = evaluate_policy(again, make_sb3(1, observe="state", time_limit_s=2.0), n_eval_episodes=2)
    assert mean > 0
    envs.close()


def test_attributes_and_pictures(simulators):
    envs = make_sb3(2)
    envs.reset()
    assert envs.get_attr("reward_function") == ["center_line", "center_line"]
    envs.set_attr("reward_function", "speed", indices=[1])
    assert envs.get_attr("reward_function") == ["center_line", "speed"]
    with pytest.raises(AttributeError, match="legal: reward_function"):
        envs.set_attr("quality", "fast")
    assert [picture.shape for picture in envs.get_images()] == [(120, 160, 3)] * 2
    assert envs.env_is_wrapped(type("Monitor", (), {})) == [True, True]
    envs.close()
