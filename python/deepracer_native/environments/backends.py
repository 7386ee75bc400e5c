"""Where simulators run: in this process, or behind a server."""

from __future__ import annotations

import os
import warnings
from dataclasses import asdict, dataclass
from typing import Any

from deepracer_native.environments.checks import RaceConfiguration, tracks_folder
from deepracer_native.environments.errors import UnsupportedConfiguration
from deepracer_native.environments.manager import Handle, SimulationManager, fingerprint
from deepracer_native.environments.native_simulator import NativeSimulator
from deepracer_native.environments.spaces import DISCRETE, action_space_type

BACKEND = "DEEPRACER_BACKEND"
DEFAULT_CPUS = 3.0
DEFAULT_MEMORY = "6g"
DEFAULT_HOST = "127.0.0.1"


@dataclass(frozen=True)
class Wanted:
    """What an environment wants."""

    configuration: RaceConfiguration
    observes_state: bool
    render_camera: str
    image: str | None
    cpus: float
    memory: str
    host: str
    port: int | None

    def fingerprint(self, **more: Any) -> str:
        """Return the same text for simulators that can stand in for each other."""
        race = asdict(self.configuration)
        return fingerprint(race=race, tracks=tracks_folder(), observes_state=self.observes_state, **more)


def fingerprint_of_races(configurations: list[RaceConfiguration], num_threads: int | None) -> str:
    """Return the same text for vector environments whose races can stand in for each other."""
    races = [asdict(configuration) for configuration in configurations]
    return fingerprint(races=races, tracks=tracks_folder(), num_threads=num_threads)


class Native:
    """Simulators in this process."""

    name = "native"

    def acquire(self, manager: SimulationManager, wanted: Wanted) -> Handle:
        """Return a simulator for an environment."""
        explain_container_arguments(wanted)
        return manager.acquire(
            lambda _: NativeSimulator(wanted.configuration, wanted.observes_state),
            fingerprint=wanted.fingerprint(backend=self.name),
            world=wanted.configuration.world,
        )


_has_explained = False


def explain_container_arguments(wanted: Wanted) -> None:
    """Say once per process that arguments for containers mean nothing without one."""
    global _has_explained
    given = []
    if wanted.image is not None:
        given.append("image")
    if wanted.cpus != DEFAULT_CPUS:
        given.append("cpus")
    if wanted.memory != DEFAULT_MEMORY:
        given.append("memory")
    if wanted.host != DEFAULT_HOST:
        given.append("host")
    if wanted.port is not None:
        given.append("port")
    if given and not _has_explained:
        _has_explained = True
        warnings.warn(
            f"{', '.join(given)}: the simulator runs in this process, without a container or a connection, so this "
            f"means nothing; set {BACKEND}=docker, podman or apptainer for a container, or manage_container=False to "
            "connect to a server",
            UserWarning,
            stacklevel=5,
        )


def chosen() -> Any:
    """Return the backend that ``DEEPRACER_BACKEND`` names; ``native`` when it names none."""
    name = os.environ.get(BACKEND, Native.name).strip().lower()
    if name in ("", Native.name):
        return Native()
    from deepracer_native.environments import containers

    if name not in containers.ENGINES:
        raise ValueError(f"{BACKEND} is {name!r}; legal: {Native.name}, {', '.join(containers.ENGINES)}")
    return containers.ENGINES[name]()


def connect(wanted: Wanted) -> Any:
    """Connect to a server that listens already."""
    from deepracer_native.environments.client import WireSimulator

    refuse_what_servers_do_not_send(wanted)
    configuration = wanted.configuration
    is_discrete = action_space_type(configuration.agent) == DISCRETE
    return WireSimulator(wanted.host, wanted.port, is_discrete, configuration.sensors)


def refuse_what_servers_do_not_send(wanted: Wanted) -> None:
    """Refuse state vectors and pictures from outside: a server sends what the sensors see."""
    if wanted.render_camera != "onboard":
        raise UnsupportedConfiguration(
            f'render_camera is "{wanted.render_camera}"; legal with a server or container: "onboard"'
        )
    if wanted.observes_state:
        raise UnsupportedConfiguration('observe is "state"; legal with a server or container: "sensors"')
