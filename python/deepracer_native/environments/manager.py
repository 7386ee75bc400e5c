"""The simulators of this process: made when an environment needs one, kept warm or thrown away when it is closed."""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from deepracer_native import _native
from deepracer_native.environments import registry
from deepracer_native.environments.errors import SimulatorStopped, TooManyEnvironments

MAX_ENVS = "DEEPRACER_MAX_ENVS"
DEFAULT_MAX_ENVS = 4


class Handle:
    """A simulator that an environment holds."""

    def __init__(self, simulator: Any, registration: registry.Registration, fingerprint: str) -> None:
        """Put together what the manager needs to know."""
        self.simulator = simulator
        self.registration = registration
        self.fingerprint = fingerprint
        #: The process it was made in; a forked one shares the races but not the registration.
        self.pid = os.getpid()

    @property
    def name(self) -> str:
        """Its name in ``deepracer.running()``."""
        return self.registration.name

    @property
    def port(self) -> int | None:
        """The port it listens on; ``None`` when it is in this process."""
        return self.registration.port

    def check(self) -> None:
        """Raise ``SimulatorStopped`` when ``python -m deepracer.clean --force`` took the simulator away."""
        if self.pid == os.getpid() and registry.is_stopped(self.registration):
            raise SimulatorStopped(
                f"{self.name} was stopped by `python -m deepracer.clean --force`; close this environment and make "
                "another one"
            )


def fingerprint(**parts: Any) -> str:
    """Return the same text for the same parts, whatever the order of their keys."""
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def max_envs() -> int:
    """Return how many simulators a process may have at once: ``DEEPRACER_MAX_ENVS``, else 4."""
    text = os.environ.get(MAX_ENVS, str(DEFAULT_MAX_ENVS))
    try:
        number = int(text)
    except ValueError:
        raise ValueError(f"{MAX_ENVS} is {text!r}; legal: a whole number") from None
    if number < 1:
        raise ValueError(f"{MAX_ENVS} is {text!r}; legal: 1 or more")
    return number


class SimulationManager:
    """Keeps account of the simulators of this process. There is one: ``SimulationManager.instance()``."""

    _instance: SimulationManager | None = None
    _creation = threading.Lock()

    @classmethod
    def instance(cls) -> SimulationManager:
        """Return the manager of this process, made on first use."""
        with cls._creation:
            if cls._instance is None:
                cls._instance = cls()
                atexit.register(cls._instance.shutdown_all)
            return cls._instance

    def __init__(self) -> None:
        """Begin without simulators."""
        self._lock = threading.RLock()
        self._live: dict[str, Handle] = {}
        self._idle: OrderedDict[str, Handle] = OrderedDict()

    def acquire(
        self,
        make: Callable[[registry.Registration], Any],
        *,
        fingerprint: str,
        world: str,
        num_races: int = 1,
        backend: str = registry.NATIVE,
    ) -> Handle:
        """Return a simulator: a warm one of the same fingerprint, else what ``make`` makes for a registration.

        Raises ``TooManyEnvironments`` when all slots are taken by live ones; a warm one makes room.
        """
        with self._lock:
            handle = self._take_warm(fingerprint)
            if handle is None:
                self._make_room()
                registration = registry.register(world, num_races, backend)
                try:
                    handle = Handle(make(registration), registration, fingerprint)
                except BaseException:
                    registry.unregister(registration)
                    raise
                # Makers add what they learn, a port for example.
                handle.registration = getattr(handle.simulator, "registration", registration)
            self._live[handle.name] = handle
            return handle

    def _take_warm(self, fingerprint: str) -> Handle | None:
        for name, handle in list(self._idle.items()):
            if handle.fingerprint == fingerprint:
                del self._idle[name]
                if registry.is_stopped(handle.registration) or not handle.simulator.wake():
                    self._throw_away(handle)
                    continue
                handle.registration = registry.update(handle.registration, state=registry.LIVE)
                return handle
        return None

    def _make_room(self) -> None:
        limit = max_envs()
        while self._idle and len(self._live) + len(self._idle) >= limit:
            self._throw_away(self._idle.popitem(last=False)[1])
        if len(self._live) >= limit:
            raise TooManyEnvironments(
                f"all {limit} simulator slots are in use by this process ({', '.join(self._live)}); "
                f"close an environment, or set {MAX_ENVS} to a larger number. A native vector environment "
                f'(gymnasium.make_vec("deepracer-v0", num_envs=…)) runs any number of races in one slot'
            )

    def release(self, handle: Handle, keep_warm: bool = False) -> None:
        """Take a simulator back; keep it for the next environment of the same configuration, or end it."""
        if handle.pid != os.getpid():
            return
        with self._lock:
            if self._live.pop(handle.name, None) is not handle:
                return
            if keep_warm and handle.simulator.rest():
                handle.registration = registry.update(handle.registration, state=registry.WARM)
                self._idle[handle.name] = handle
            else:
                self._throw_away(handle)

    @staticmethod
    def _throw_away(handle: Handle) -> None:
        try:
            handle.simulator.close()
        finally:
            registry.unregister(handle.registration)

    def shutdown_all(self) -> None:
        """End every simulator of this process, those in use too, and let go of the worlds."""
        with self._lock:
            handles = [*self._live.values(), *self._idle.values()]
            self._live.clear()
            self._idle.clear()
            for handle in handles:
                if handle.pid == os.getpid():
                    self._throw_away(handle)
        _native.forget_worlds()

    def names(self) -> list[str]:
        """Return the names of all simulators of this process, warm ones too."""
        with self._lock:
            return sorted([*self._live, *self._idle])


def _forget_in_child() -> None:
    """Let a forked process begin with no simulators of its own: those of its parent are the parent's."""
    SimulationManager._creation = threading.Lock()
    SimulationManager._instance = None


os.register_at_fork(after_in_child=_forget_in_child)
