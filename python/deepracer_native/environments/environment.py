"""``deepracer-v0``: one race."""

from __future__ import annotations

import operator
import warnings
import weakref
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import error, spaces

from deepracer_native.environments import backends, rewards, window
from deepracer_native.environments.checks import TIME_LIMIT_S, race_configuration
from deepracer_native.environments.defaults import Configuration, resolve_agent_config, resolve_track_config
from deepracer_native.environments.errors import InvalidAction
from deepracer_native.environments.manager import Handle, SimulationManager
from deepracer_native.environments.native_simulator import Moment
from deepracer_native.environments.spaces import (
    DISCRETE,
    action_space_type,
    make_action_space,
    make_observation_space,
    make_state_space,
)

RENDER_MODES = ("rgb_array", "human")
RENDER_CAMERAS = ("onboard", "follow", "top")
OBSERVE = ("sensors", "state")
#: Steps per second of simulated time.
STEPS_PER_S = 15


class DeepracerGymEnv(gym.Env):
    """A DeepRacer car on a track.

    Made by ``gymnasium.make("deepracer-v0", …)``; all arguments are keywords with defaults.

    Observations are a dictionary with an entry per sensor of the agent: cameras ``uint8`` ``[channels, 120, 160]``,
    distances of the lidar in metres, ``float32`` ``[64]``. Every call returns fresh, writable, contiguous arrays.
    With ``observe="state"`` they are one ``float32`` vector instead, see ``deepracer.envs.utils.STATE_NUMBERS``.

    A step lasts 1/15 s of simulated time. ``info["reward_params"]`` is what the reward function was called with,
    ``info["episode_status"]`` which rule ended the episode, ``info["goal"]`` is always ``None``.

    Args:
        agent_config: Actions, sensors and version of the car: a dictionary, or the path of a JSON file, merged key by
            key over the default agent. A ``model_metadata.json`` will do.
        track_config: World, start rule and what is on the track: a dictionary, or the path of a YAML or JSON file,
            merged key by key over the default. Values may be text.
        reward_function: ``f(params) -> number``, called once per step and not at a reset; the name of a built-in
            reward (``center_line``, ``progress``, ``speed``), or the path of a file that defines ``reward_function``.
            ``None`` is ``center_line``.
        world_name: Overrides ``WORLD_NAME`` of ``track_config``.
        evaluation: Every episode starts at the same place in the same direction.
        render_mode: ``"rgb_array"``, ``"human"`` or ``None``.
        image: Image of the simulator's container. Only with ``DEEPRACER_BACKEND`` set to a container engine.
        cpus: Processors of the container, likewise.
        memory: Memory of the container, likewise.
        cache: Keep the simulator warm on ``close()``, for the next environment of the same configuration.
        manage_container: ``False`` connects to a server that listens already, see ``python -m deepracer.serve``.
        host: Where that server is.
        port: Port of that server; ``None`` is ``GYM_PORT``, else one that follows from the user's name.
        quality: Work per picture: ``fast``, ``standard`` or ``fine``.
        time_limit_s: Simulated seconds after which an episode is truncated; ``None`` is 100,000 steps.
        render_camera: What ``render`` shows: ``onboard`` is the agent's own camera; ``follow`` (behind the car) and
            ``top`` (the whole track) show 480 × 640 pixels.
        observe: ``"sensors"``, or ``"state"`` for a vector of numbers without pictures.

    Raises:
        TypeError: An argument is of the wrong type.
        ValueError: A setting is wrong; the message names it, its value and what is legal.
        ActionSpaceError: The action space is wrong. It is a ``ValueError`` and an ``AssertionError``.
        TooManyEnvironments: All ``DEEPRACER_MAX_ENVS`` slots of this process are taken.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": STEPS_PER_S}  # noqa: RUF012 (Gymnasium's own form)

    def __init__(
        self,
        agent_config: Configuration = None,
        track_config: Configuration = None,
        reward_function: rewards.RewardFunction | str | None = None,
        world_name: str | None = None,
        evaluation: bool = False,
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
    ) -> None:
        """Check everything, then take a warm simulator or make one."""
        # What close() needs, should anything below raise.
        self._handle: Handle | None = None
        self._simulator: Any = None
        self._finalizer: weakref.finalize | None = None
        self._window: window.Window | None = None
        agent = resolve_agent_config(agent_config)
        track = resolve_track_config(track_config)
        self.configuration = race_configuration(agent, track, world_name, evaluation, quality, time_limit_s)
        if observe not in OBSERVE:
            raise ValueError(f"observe is {observe!r}; legal: {', '.join(OBSERVE)}")
        self.reward_function = reward_function
        self.cache = bool(cache)
        self.render_camera = check_render_camera(render_camera)
        self.render_mode = check_render_mode(render_mode)
        if not window.has_display():
            self.metadata = self.metadata | {"render_modes": ["rgb_array"]}
        self.action_space, self._actions = make_action_space(agent)
        self._is_discrete = action_space_type(agent) == DISCRETE
        self._num_actions = len(self._actions) if self._is_discrete else 0
        observes_state = observe == "state"
        self.observation_space = make_state_space() if observes_state else make_observation_space(agent)[0]
        wanted = backends.Wanted(self.configuration, observes_state, render_camera, image, cpus, memory, host, port)
        if manage_container:
            backend = backends.chosen()
            manager = SimulationManager.instance()
            self._handle = backend.acquire(manager, wanted)
            self._simulator = self._handle.simulator
            self._finalizer = weakref.finalize(self, manager.release, self._handle, self.cache)
        else:
            self._simulator = backends.connect(wanted)
            self._finalizer = weakref.finalize(self, self._simulator.close)
        if self.render_camera == "follow":
            self._simulator.watch()
        self._last: Moment | None = None
        self._is_running = False
        self._is_seeded = False

    @property
    def reward_function(self) -> rewards.RewardFunction:
        """The function that judges each step; set it to another one at any time."""
        return self._reward_function

    @reward_function.setter
    def reward_function(self, reward: rewards.RewardFunction | str | None) -> None:
        resolved = rewards.resolve(reward)
        self._reward_function = rewards.BUILT_IN[resolved] if isinstance(resolved, str) else resolved

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode, at once, whatever the state of the one before.

        ``seed`` fixes everything by chance from here on, start positions and directions included: the same seed and
        actions give the same observations, rewards and infos. Without it the episodes go on from where they are.

        ``options`` is for this episode only: ``start_position``, a fraction of the track from 0 up to 1 or
        ``"random"``; ``direction``, ``"forward"``, ``"reversed"``, ``"clockwise"`` or ``"counterclockwise"``;
        ``objects``, positions as in ``OBJECT_POSITIONS``. Others raise ``ValueError``.

        The first, motionless step of the episode has been taken: ``info["reward_params"]["steps"]`` is 1.
        """
        simulator = self._open_simulator()
        if self._handle is not None:
            self._handle.check()
        super().reset(seed=seed)
        world_seed = None
        if seed is not None or not self._is_seeded:
            world_seed = int(self.np_random.integers(2**63))
        moment = simulator.reset(world_seed, options or {})
        self._is_seeded = True
        self._is_running = True
        return self._tell(moment)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Drive for 1/15 s.

        ``action`` is an index into the action space's list, or ``[steering, speed]`` from −1 to 1. The reward is
        exactly what the reward function returned, as a float. Both flags are plain ``bool`` and never both true.

        Raises:
            ResetNeeded: No episode runs: ``reset`` was not called, or the episode has ended.
            InvalidAction: The action is not in the action space. It is a ``ValueError`` and an ``AssertionError``.
            TypeError, ValueError: The reward function returned no number, or one that is not finite. The step has
                been taken; go on or reset.
        """
        simulator = self._open_simulator()
        if not self._is_running:
            reason = "no episode runs yet" if self._last is None else "the episode is over"
            raise error.ResetNeeded(f"{reason}: call env.reset() before env.step()")
        moment = simulator.drive(self._checked_action(action))
        self._is_running = not (moment.terminated or moment.truncated)
        observation, info = self._tell(moment)
        reward = rewards.checked(self._reward_function(info["reward_params"]))
        return observation, reward, moment.terminated, moment.truncated, info

    def _tell(self, moment: Moment) -> tuple[Any, dict[str, Any]]:
        self._last = moment
        if self.render_mode == "human":
            self._show()
        info = {"reward_params": moment.reward_params, "episode_status": moment.episode_status, "goal": None}
        return moment.observation, info

    def _checked_action(self, action: Any) -> Any:
        if self._is_discrete:
            try:
                index = operator.index(action)
            except TypeError:
                raise InvalidAction(
                    f"the action {action!r} is infeasible; legal: a whole number from 0 to {self._num_actions - 1}"
                ) from None
            if not 0 <= index < self._num_actions:
                raise InvalidAction(
                    f"the action {index} is infeasible; legal: 0 to {self._num_actions - 1}, as action_space lists "
                    f"{self._num_actions} actions"
                )
            return index
        values = np.asarray(action)
        if values.shape != (2,) or values.dtype.kind not in "fiu":
            raise InvalidAction(
                f"the action {action!r} is infeasible; legal: two numbers from -1 to 1, steering and speed"
            )
        steering, speed = values.tolist()
        if not (-1.0 <= steering <= 1.0 and -1.0 <= speed <= 1.0):
            raise InvalidAction(
                f"the action [{steering}, {speed}] is infeasible; legal: from -1 to 1; clip it, or wrap the "
                "environment in gymnasium.wrappers.ClipAction"
            )
        return steering, speed

    def render(self) -> np.ndarray | None:
        """Return the picture of the last reset or step, ``uint8`` ``[height, width, 3]``; ``None`` in human mode.

        The onboard camera gives 120 × 160 pixels; a stereo pair, grey, lies side by side in 120 × 320. The cameras
        ``follow`` and ``top`` give 480 × 640.
        """
        self._open_simulator()
        if self._last is None:
            raise error.ResetNeeded("there is nothing to show yet: call env.reset() first")
        if self.render_mode is None:
            warnings.warn('this environment was made without render_mode; give "rgb_array"', UserWarning, stacklevel=2)
            return None
        if self.render_mode == "human":
            self._show()
            return None
        return self._picture()

    def _picture(self) -> np.ndarray:
        if self.render_camera != "onboard":
            return self._simulator.spectate(self.render_camera)
        observation = self._last.observation
        seen = observation if isinstance(self.observation_space, spaces.Dict) else self._simulator.picture()
        return onboard_picture(seen)

    def _show(self) -> None:
        if self._window is None:
            self._window = window.Window(f"deepracer: {self.configuration.world}", STEPS_PER_S)
        self._window.show(self._picture())

    def close(self, cache: bool | None = None) -> None:
        """Give the simulator back; calling it again does nothing.

        ``cache`` overrides the argument of ``gymnasium.make``: ``True`` keeps the simulator warm for the next
        environment of the same configuration, in this process.
        """
        if self._window is not None:
            self._window.close()
            self._window = None
        if self._finalizer is None:
            return
        self._finalizer.detach()
        self._finalizer = None
        simulator, self._simulator = self._simulator, None
        if self._handle is None:
            simulator.close()
        else:
            keep_warm = self.cache if cache is None else bool(cache)
            SimulationManager.instance().release(self._handle, keep_warm)

    def _open_simulator(self) -> Any:
        if self._simulator is None:
            raise error.ClosedEnvironmentError("this environment is closed; make another one")
        return self._simulator


def check_render_mode(render_mode: str | None) -> str | None:
    """Return the mode; raises ``ValueError`` for an unknown one, ``RuntimeError`` where no window can be opened."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise ValueError(
            f"render_mode is {render_mode!r}; legal: {', '.join(RENDER_MODES)}, None; gymnasium.make also knows "
            "rgb_array_list"
        )
    if render_mode == "human":
        window.expect_display()
    return render_mode


def check_render_camera(camera: str) -> str:
    """Return the camera; raises ``ValueError`` for an unknown one."""
    if camera not in RENDER_CAMERAS:
        raise ValueError(f"render_camera is {camera!r}; legal: {', '.join(RENDER_CAMERAS)}")
    return camera


def onboard_picture(observation: dict[str, np.ndarray]) -> np.ndarray:
    """Return a picture ``[height, width, 3]`` of the camera in an observation: grey pairs lie side by side."""
    for seen in observation.values():
        if seen.ndim == 3:
            if seen.shape[0] == 3:
                return np.ascontiguousarray(seen.transpose(1, 2, 0))
            return np.repeat(np.concatenate(list(seen), axis=1)[..., np.newaxis], 3, axis=2)
    raise ValueError(f"there is no camera among the sensors {', '.join(observation)}")
