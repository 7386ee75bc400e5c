"""``deepracer-v0``: many races stepped together."""

from __future__ import annotations

import operator
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import error, spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from deepracer_native import _native
from deepracer_native.environments import backends, rewards
from deepracer_native.environments.checks import TIME_LIMIT_S, RaceConfiguration, race_configuration
from deepracer_native.environments.defaults import Configuration, resolve_agent_config, resolve_track_config
from deepracer_native.environments.environment import (
    OBSERVE,
    STEPS_PER_S,
    check_render_camera,
    check_render_mode,
    onboard_picture,
)
from deepracer_native.environments.errors import InvalidAction, UnsupportedConfiguration
from deepracer_native.environments.manager import Handle, SimulationManager
from deepracer_native.environments.native_simulator import OPTIONS, spectated, start_wish
from deepracer_native.environments.spaces import (
    STATE_NUMBERS,
    make_action_space,
    make_observation_space,
    make_state_space,
)

Each = Sequence[Any]

#: Steps after which a vector environment, which resets by itself, looks whether somebody stopped it.
STEPS_PER_CHECK = 256


class NativeRaces:
    """The races of a vector environment, as the manager keeps them."""

    def __init__(self, configurations: list[RaceConfiguration], num_threads: int | None) -> None:
        """Build all races; each world is baked once."""
        options = [configuration.native_options() for configuration in configurations]
        self.native: Any = _native.Simulator(options, ["center_line"] * len(options), rewards.checked, num_threads)

    def rest(self) -> bool:
        """Keep still until somebody else wants the races; whether that is possible."""
        return self.native is not None

    def wake(self) -> bool:
        """Be as new for somebody else; whether that is possible."""
        return self.native is not None

    def close(self) -> None:
        """Give the memory back."""
        self.native = None


class DeepracerVectorEnv(VectorEnv):
    """``num_envs`` DeepRacer cars, each on a track of its own, stepped together by native code on several threads.

    Made by ``gymnasium.make_vec("deepracer-v0", num_envs=…)`` or ``deepracer.make_vec(…)``. An environment of it does
    the same as one of ``gymnasium.make("deepracer-v0")`` with the same seed, byte for byte, whatever the number of
    threads.

    ``agent_config``, ``track_config``, ``reward_function``, ``world_name`` and ``evaluation`` are for all
    environments, or a list with one value for each; all need the same spaces. The other arguments are those of
    ``DeepracerGymEnv``, and:

    Args:
        num_envs: Number of environments.
        autoreset_mode: What happens where an episode ended: a new one begins with the next step (``NEXT_STEP``, the
            default, that step's reward is 0), with the same one (``SAME_STEP``, the last observation and info are in
            ``infos["final_obs"]`` and ``infos["final_info"]``), or with
            ``reset(options={"reset_mask": …})`` (``DISABLED``).
        copy: Return fresh observations; ``False`` writes into the same arrays at every step.
        num_threads: Threads that step and draw; ``None`` is one per processor.

    Rewards are ``float64`` ``[num_envs]``, flags ``bool`` ``[num_envs]``. ``infos["reward_params"]`` has an array
    ``[num_envs]`` per parameter (``[num_envs, 2]`` for pairs of indices; lists are tuples in an object array), and
    Gymnasium's ``_name`` masks.
    """

    def __init__(
        self,
        num_envs: int = 1,
        agent_config: Configuration | Each = None,
        track_config: Configuration | Each = None,
        reward_function: rewards.RewardFunction | str | Each | None = None,
        world_name: str | Each | None = None,
        evaluation: bool | Each = False,
        render_mode: str | None = "rgb_array",
        image: str | None = None,
        cpus: float = backends.DEFAULT_CPUS,
        memory: str = backends.DEFAULT_MEMORY,
        cache: bool = False,
        manage_container: bool = True,
        host: str = backends.DEFAULT_HOST,
        port: int | None = None,
        quality: str = "standard",
        time_limit_s: float | None = TIME_LIMIT_S,
        render_camera: str = "onboard",
        observe: str = "sensors",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        num_threads: int | None = None,
    ) -> None:
        """Check everything, then take warm races or make them."""
        self._handle: Handle | None = None
        self._races: NativeRaces | None = None
        self._finalizer: weakref.finalize | None = None
        self.num_envs = _number(num_envs, "num_envs")
        if num_threads is not None:
            num_threads = _number(num_threads, "num_threads")
        if not manage_container:
            raise UnsupportedConfiguration(
                "manage_container is False, but the races of a native vector environment run in this process; "
                'use vectorization_mode="sync" or "async" to connect to servers'
            )
        if observe not in OBSERVE:
            raise ValueError(f"observe is {observe!r}; legal: {', '.join(OBSERVE)}")
        if render_mode == "human":
            raise UnsupportedConfiguration('render_mode is "human"; legal in a vector environment: rgb_array, None')
        self.render_mode = check_render_mode(render_mode)
        self.render_camera = check_render_camera(render_camera)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {
            "render_modes": ["rgb_array"],
            "render_fps": STEPS_PER_S,
            "autoreset_mode": self.autoreset_mode,
        }
        self.cache = bool(cache)
        self.copy = bool(copy)
        self.configurations = self._configurations(
            agent_config, track_config, world_name, evaluation, quality, time_limit_s
        )
        self.single_action_space, self.single_observation_space = self._spaces(observe == "state")
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._is_discrete = isinstance(self.single_action_space, spaces.Discrete)
        self._observes_state = observe == "state"
        functions = [rewards.resolve(function) for function in self._each("reward_function", reward_function)]
        self._acquire(
            backends.Wanted(self.configurations[0], observe == "state", render_camera, image, cpus, memory, host, port),
            num_threads,
        )
        self._set_rewards(functions)
        if self.render_camera == "follow":
            self._native().watch()
        self._needs_reset = np.ones(self.num_envs, np.bool_)
        self._is_seeded = False
        self._num_steps = 0
        self._buffers: Any = None
        self._last: Any = None

    def _each(self, argument: str, value: Any) -> list[Any]:
        """Return one value per environment."""
        if not isinstance(value, list | tuple):
            return [value] * self.num_envs
        if len(value) != self.num_envs:
            raise ValueError(f"{argument} lists {len(value)} values for {self.num_envs} environments")
        return list(value)

    def _configurations(
        self, agent: Any, track: Any, world: Any, evaluation: Any, quality: str, time_limit_s: float | None
    ) -> list[RaceConfiguration]:
        parts = [
            self._each("agent_config", agent),
            self._each("track_config", track),
            self._each("world_name", world),
            self._each("evaluation", evaluation),
        ]
        # What is the same for all is checked, and warned of, once.
        made: dict[tuple[int, ...], RaceConfiguration] = {}
        result = []
        for agent_config, track_config, world_name, is_evaluation in zip(*parts, strict=True):
            key = (id(agent_config), id(track_config), id(world_name), id(is_evaluation))
            if key not in made:
                made[key] = race_configuration(
                    resolve_agent_config(agent_config),
                    resolve_track_config(track_config),
                    world_name,
                    is_evaluation,
                    quality,
                    time_limit_s,
                )
            result.append(made[key])
        return result

    def _spaces(self, observes_state: bool) -> tuple[Any, Any]:
        first: tuple[Any, Any] | None = None
        for configuration in {id(c): c for c in self.configurations}.values():
            agent = configuration.agent
            seen = make_state_space() if observes_state else make_observation_space(agent)[0]
            found = make_action_space(agent)[0], seen
            if first is None:
                first = found
            elif first != found:
                raise ValueError(
                    "agent_config: all environments of a vector environment need the same spaces, but there are "
                    f"{first[0]} with {first[1]}, and {found[0]} with {found[1]}"
                )
        return first

    def _acquire(self, wanted: backends.Wanted, num_threads: int | None) -> None:
        backends.explain_container_arguments(wanted)
        manager = SimulationManager.instance()
        worlds = sorted({configuration.world for configuration in self.configurations})
        self._handle = manager.acquire(
            lambda _: NativeRaces(self.configurations, num_threads),
            fingerprint=backends.fingerprint_of_races(self.configurations, num_threads),
            world=", ".join(worlds),
            num_races=self.num_envs,
        )
        self._races = self._handle.simulator
        self._finalizer = weakref.finalize(self, manager.release, self._handle, self.cache)

    @property
    def reward_function(self) -> list[rewards.RewardFunction | str]:
        """The function, or name of the built-in reward, that judges each environment."""
        return list(self._functions)

    @reward_function.setter
    def reward_function(self, reward: rewards.RewardFunction | str | Each | None) -> None:
        self._set_rewards([rewards.resolve(function) for function in self._each("reward_function", reward)])

    def _set_rewards(self, functions: list[rewards.RewardFunction | str]) -> None:
        native = self._native()
        self._functions = functions
        for index, function in enumerate(functions):
            native.set_reward(index, function)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode everywhere, or where ``options["reset_mask"]``, ``bool`` ``[num_envs]``, is true.

        ``seed`` is a list with one seed (or ``None``) per environment, or a number for the first one, from which the
        others count up. The other options are those of ``DeepracerGymEnv.reset``, each a value for all or a list.
        """
        native = self._native()
        self._handle.check()
        options = dict(options or {})
        mask = self._reset_mask(options.pop("reset_mask", None))
        seeds = self._seeds(seed)
        wishes = self._wishes(native, options)
        for index in np.flatnonzero(mask).tolist():
            if seeds[index] is not None:
                generator, _ = seeding.np_random(seeds[index])
                native.seed(index, int(generator.integers(2**63)))
            native.begin(index, **wishes[index])
        self._needs_reset &= ~mask
        if self._needs_reset.any():
            missing = np.flatnonzero(self._needs_reset).tolist()
            raise error.ResetNeeded(
                f"environments {_shortened(missing)} have never been reset: reset all of them first"
            )
        observations = self._observations(native, None)
        return observations, self._infos(native)

    def _reset_mask(self, mask: Any) -> np.ndarray:
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            raise TypeError(f"options['reset_mask'] is {mask!r}; legal: a numpy array of bool")
        if mask.shape != (self.num_envs,):
            raise ValueError(f"options['reset_mask'] has shape {mask.shape}; legal: ({self.num_envs},)")
        if not mask.any():
            raise ValueError("options['reset_mask'] selects no environment")
        return mask

    def _seeds(self, seed: Any) -> list[int | None]:
        if seed is None:
            if self._is_seeded:
                return [None] * self.num_envs
            self._is_seeded = True
            return [int(number) for number in self.np_random.integers(2**31, size=self.num_envs)]
        self._is_seeded = True
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
            return [int(seed) + index for index in range(self.num_envs)]
        seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"seed lists {len(seeds)} values for {self.num_envs} environments")
        return [None if each is None else operator.index(each) for each in seeds]

    def _wishes(self, native: Any, options: dict[str, Any]) -> list[dict[str, Any]]:
        for key in options:
            if key not in OPTIONS:
                raise ValueError(f"options has {key!r}; legal: {', '.join(OPTIONS)}, reset_mask")
        each = {
            key: self._each_objects(value) if key == "objects" else self._each(f"options[{key!r}]", value)
            for key, value in options.items()
        }
        return [
            start_wish({key: values[index] for key, values in each.items()}, native.runs_counterclockwise(index))
            for index in range(self.num_envs)
        ]

    def _each_objects(self, value: Any) -> list[Any]:
        """Return the positions of each environment's objects: given for all, or a list of lists."""
        is_list = isinstance(value, list | tuple) and len(value) > 0
        if is_list and not any(_is_position(item) for item in value):
            return self._each("options['objects']", value)
        return [value] * self.num_envs

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Drive every environment for 1/15 s; ``actions`` as in ``action_space``.

        Raises ``ResetNeeded`` before ``reset`` and, in mode ``DISABLED``, where an ended episode was not reset;
        ``InvalidAction`` for actions outside of the space, before anything is driven; whatever a reward function
        raises, after the step has been taken.
        """
        native = self._native()
        self._num_steps += 1
        if self._num_steps % STEPS_PER_CHECK == 0:
            self._handle.check()
        if self._needs_reset.any():
            missing = np.flatnonzero(self._needs_reset).tolist()
            raise error.ResetNeeded(f"no episode runs in environments {_shortened(missing)}: call reset() first")
        checked = self._checked_actions(actions)
        rewards_out = np.zeros(self.num_envs, np.float64)
        terminated = np.zeros(self.num_envs, np.bool_)
        truncated = np.zeros(self.num_envs, np.bool_)
        drive = native.step if self._is_discrete else native.step_values
        num_ended = drive(checked, self.autoreset_mode == AutoresetMode.NEXT_STEP, terminated, truncated)
        infos: dict[str, Any] = {}
        if num_ended and self.autoreset_mode == AutoresetMode.SAME_STEP:
            for index in np.flatnonzero(terminated | truncated).tolist():
                final = {"final_obs": self._observation_of(native, index), "final_info": self._info_of(native, index)}
                infos = self._add_info(infos, final, index)
            native.begin_ended()
        elif num_ended and self.autoreset_mode == AutoresetMode.DISABLED:
            self._needs_reset = terminated | truncated
        observations = self._observations(native, rewards_out)
        infos.update(self._infos(native))
        return observations, rewards_out, terminated, truncated, infos

    def _checked_actions(self, actions: Any) -> np.ndarray:
        values = np.asarray(actions)
        if self._is_discrete:
            last = int(self.single_action_space.n) - 1
            if values.shape != (self.num_envs,) or values.dtype.kind not in "iub":
                raise InvalidAction(
                    f"the actions of shape {values.shape} and type {values.dtype} are infeasible; legal: "
                    f"{self.num_envs} whole numbers from 0 to {last}"
                )
            wrong = (values < 0) | (values > last)
            values = np.ascontiguousarray(values, np.int64)
            legal = f"0 to {last}"
        else:
            if values.shape != (self.num_envs, 2) or values.dtype.kind not in "fiu":
                raise InvalidAction(
                    f"the actions of shape {values.shape} and type {values.dtype} are infeasible; legal: numbers from "
                    f"-1 to 1 of shape ({self.num_envs}, 2)"
                )
            values = np.ascontiguousarray(values, np.float64)
            wrong = ~(np.abs(values) <= 1.0).all(axis=1)
            legal = "from -1 to 1"
        if wrong.any():
            index = int(np.flatnonzero(wrong)[0])
            raise InvalidAction(f"the action {values[index]} of environment {index} is infeasible; legal: {legal}")
        return values

    def _observations(self, native: Any, rewards_out: np.ndarray | None) -> Any:
        if self._observes_state:
            observations = self._empty()
            native.states(observations)
            if rewards_out is not None:
                native.judge(rewards_out)
        else:
            observations = self._empty()
            native.observe(list(observations.values()), rewards_out)
        self._last = observations
        return observations

    def _empty(self) -> Any:
        """Return arrays to write into: fresh ones, or always the same."""
        if self._buffers is not None:
            return self._buffers
        if self._observes_state:
            empty: Any = np.empty((self.num_envs, len(STATE_NUMBERS)), np.float32)
        else:
            empty = {name: np.empty((self.num_envs, *shape), dtype) for name, shape, dtype in self._native().sensors}
        if not self.copy:
            self._buffers = empty
        return empty

    def _observation_of(self, native: Any, index: int) -> Any:
        if self._observes_state:
            state = np.empty(len(STATE_NUMBERS), np.float32)
            native.state_of(index, state)
            return state
        arrays = {name: np.empty(shape, dtype) for name, shape, dtype in native.sensors}
        native.observe_one(index, list(arrays.values()))
        return arrays

    @staticmethod
    def _info_of(native: Any, index: int) -> dict[str, Any]:
        return {
            "reward_params": native.reward_params(index),
            "episode_status": native.episode_status(index),
            "goal": None,
        }

    def _infos(self, native: Any) -> dict[str, Any]:
        have = np.ones(self.num_envs, np.bool_)
        return {
            "reward_params": native.reward_params_columns(),
            "_reward_params": have,
            "episode_status": native.episode_status_columns(),
            "_episode_status": have.copy(),
            "goal": np.full(self.num_envs, None, object),
            "_goal": have.copy(),
        }

    def render(self) -> tuple[np.ndarray, ...] | None:
        """Return the picture of each environment's last reset or step, ``uint8`` ``[height, width, 3]``."""
        native = self._native()
        if self._last is None:
            raise error.ResetNeeded("there is nothing to show yet: call reset() first")
        if self.render_mode is None:
            return None
        if self.render_camera != "onboard":
            return tuple(spectated(native, index, self.render_camera) for index in range(self.num_envs))
        pictures = []
        for index in range(self.num_envs):
            arrays = {name: np.empty(shape, dtype) for name, shape, dtype in native.sensors}
            native.observe_one(index, list(arrays.values()))
            pictures.append(onboard_picture(arrays))
        return tuple(pictures)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return an attribute once per environment: of a list that has one value for each, or the same for all."""
        value = getattr(self, name)
        return tuple(value) if isinstance(value, list) and len(value) == self.num_envs else (value,) * self.num_envs

    def close_extras(self, cache: bool | None = None) -> None:
        """Give the races back; ``cache`` overrides the argument the environment was made with."""
        if self._finalizer is None:
            return
        self._finalizer.detach()
        self._finalizer = None
        self._races = None
        SimulationManager.instance().release(self._handle, self.cache if cache is None else bool(cache))

    def _native(self) -> Any:
        if self._races is None:
            raise error.ClosedEnvironmentError("this environment is closed; make another one")
        if self._races.native is None:
            raise error.ClosedEnvironmentError(
                "the races of this environment were shut down (deepracer.shutdown_all); make another environment"
            )
        return self._races.native


def _number(value: Any, argument: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{argument} must be a whole number, not {value!r}")
    if value < 1:
        raise ValueError(f"{argument} is {value}; legal: 1 or more")
    return int(value)


def _shortened(indices: list[int]) -> str:
    shown = ", ".join(map(str, indices[:8]))
    return shown if len(indices) <= 8 else f"{shown}, … ({len(indices)} in all)"


def _is_position(item: Any) -> bool:
    """Whether this is the position of one object, and not a list of positions."""
    if isinstance(item, list | tuple):
        return len(item) == 2 and not any(isinstance(part, str | list | tuple) for part in item)
    return item is not None
