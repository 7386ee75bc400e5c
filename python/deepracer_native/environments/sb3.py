"""A native vector environment for Stable-Baselines3."""

from __future__ import annotations

import time
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np

try:
    from stable_baselines3.common.vec_env.base_vec_env import VecEnv
except ImportError as error:
    raise ImportError(f'deepracer.sb3 needs {error.name}: pip install "deepracer[sb3]"') from None

from deepracer_native.environments.vector import DeepracerVectorEnv


class DeepracerVecEnv(VecEnv):
    """``num_envs`` races as Stable-Baselines3 wants them, without a process or a Python loop per environment.

    Episodes begin anew in the step in which they end; ``infos[i]`` then has ``terminal_observation``,
    ``TimeLimit.truncated``, and ``episode`` with return ``r``, length ``l`` and seconds ``t``, as ``Monitor`` and
    ``EvalCallback`` read them. Other steps have empty infos unless ``full_infos`` asks for those of
    ``DeepracerGymEnv``. ``arguments`` are those of ``DeepracerVectorEnv``.
    """

    def __init__(self, num_envs: int, full_infos: bool = False, **arguments: Any) -> None:
        """Make the races."""
        self.races = DeepracerVectorEnv(num_envs, autoreset_mode="SameStep", **arguments)
        self.full_infos = full_infos
        self._actions: Any = None
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, np.int64)
        self._begun_s = time.time()
        # The base class asks for it once per environment.
        self.render_mode = self.races.render_mode
        super().__init__(num_envs, self.races.single_observation_space, self.races.single_action_space)

    def reset(self) -> Any:
        """Begin an episode everywhere, with the seeds given to ``seed``."""
        seeds = self._seeds if any(seed is not None for seed in self._seeds) else None
        options = self._options if any(self._options) else None
        observations, infos = self.races.reset(seed=seeds, options=self._merged(options))
        self.reset_infos = self._list(infos) if self.full_infos else [{} for _ in range(self.num_envs)]
        self._reset_seeds()
        self._reset_options()
        self._returns[:] = 0
        self._lengths[:] = 0
        return observations

    def _merged(self, options: list[dict[str, Any]] | None) -> dict[str, Any] | None:
        if options is None:
            return None
        keys = {key for each in options for key in each}
        return {key: [each.get(key) for each in options] for key in keys}

    def step_async(self, actions: np.ndarray) -> None:
        """Take the actions of the next step."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Drive a step and return observations, rewards, whether episodes ended, and infos."""
        observations, rewards, terminated, truncated, told = self.races.step(self._actions)
        self._returns += rewards
        self._lengths += 1
        dones = terminated | truncated
        infos = self._list(told) if self.full_infos else [{} for _ in range(self.num_envs)]
        for index in np.flatnonzero(dones).tolist():
            infos[index] |= {
                "terminal_observation": told["final_obs"][index],
                "TimeLimit.truncated": bool(truncated[index] and not terminated[index]),
                "episode": {
                    "r": float(self._returns[index]),
                    "l": int(self._lengths[index]),
                    "t": round(time.time() - self._begun_s, 6),
                },
                "progress": float(told["final_info"]["reward_params"]["progress"][index]),
            }
            self._returns[index] = 0
            self._lengths[index] = 0
        return observations, rewards.astype(np.float32), dones, infos

    def _list(self, told: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the infos of a vector environment per environment."""

        def at(values: dict[str, Any], index: int) -> dict[str, Any]:
            found = {}
            for key, value in values.items():
                if key.startswith("_") or key in ("final_obs", "final_info"):
                    continue
                found[key] = at(value, index) if isinstance(value, dict) else value[index]
            return found

        return [at(told, index) for index in range(self.num_envs)]

    def close(self) -> None:
        """Give the races back."""
        self.races.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute once per environment."""
        values = self.races.get_attr(attr_name)
        return [values[index] for index in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set the reward function of some environments; other attributes are the same for all, and fixed."""
        if attr_name != "reward_function":
            raise AttributeError(f"{attr_name} cannot be set; legal: reward_function")
        functions = self.races.reward_function
        for index in self._get_indices(indices):
            functions[index] = value
        self.races.reward_function = functions

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Call a method; the races have none of their own, so the result is the same for all."""
        result = getattr(self.races, method_name)(*method_args, **method_kwargs)
        return [deepcopy(result) for _ in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Whether environments have a wrapper: ``Monitor`` is built in, others cannot be."""
        is_monitor = getattr(wrapper_class, "__name__", "") == "Monitor"
        return [is_monitor for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[np.ndarray | None]:
        """Return a picture per environment."""
        return list(self.races.render() or [None] * self.num_envs)


def make_vec_env(num_envs: int = 1, seed: int | None = None, **arguments: Any) -> DeepracerVecEnv:
    """Make ``num_envs`` races for Stable-Baselines3; ``arguments`` are those of ``DeepracerVecEnv``."""
    made = DeepracerVecEnv(num_envs, **arguments)
    if seed is not None:
        made.seed(seed)
    return made
