"""Simulators in containers: ``DEEPRACER_BACKEND=docker``, ``podman`` or ``apptainer``.

The container runs ``python -m deepracer.serve``, or the original's simulator, which is started and spoken to in the
same way. Engines are driven by their own commands.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from deepracer_native.environments import registry, wire
from deepracer_native.environments.checks import RaceConfiguration
from deepracer_native.environments.client import WireSimulator
from deepracer_native.environments.identity import port_is_free, string_to_port
from deepracer_native.environments.manager import Handle, SimulationManager
from deepracer_native.environments.spaces import DISCRETE, action_space_type

IMAGE = "DEEPRACER_IMAGE"
DEFAULT_IMAGE = "deepracer:latest"
READY_TIMEOUT = "DEEPRACER_READY_TIMEOUT"
DEFAULT_READY_TIMEOUT_S = 300.0
#: Label of every container of an environment; the others name the process that owns it.
MANAGED, OWNER, OWNER_STARTED = "deepracer.managed", "deepracer.owner", "deepracer.owner_started"
#: A line with this means that the simulator will never be ready.
FATAL = "FATAL:"
#: Lines of a container's output that an error shows.
TAIL_LINES = 20


def ready_timeout_s() -> float:
    """Return how long a container may take until it listens: ``DEEPRACER_READY_TIMEOUT``, else 300 s."""
    text = os.environ.get(READY_TIMEOUT, str(DEFAULT_READY_TIMEOUT_S))
    try:
        timeout_s = float(text)
    except ValueError:
        timeout_s = -1.0
    if not timeout_s > 0:
        raise ValueError(f"{READY_TIMEOUT} is {text!r}; legal: a number of seconds above 0")
    return timeout_s


def variables(configuration: RaceConfiguration, port: int, env_id: str) -> dict[str, str]:
    """Return what tells the simulator in a container what to do."""
    found = {
        "GYM_PORT": str(port),
        "ENV_ID": env_id,
        "DEEPRACER_AGENT_PARAMS": json.dumps(configuration.agent, sort_keys=True, separators=(",", ":")),
        "DEEPRACER_ENVIRONMENT_PARAMS": json.dumps(
            configuration.track | {"WORLD_NAME": configuration.world}, sort_keys=True, separators=(",", ":")
        ),
        "EVALUATION": str(configuration.evaluation).lower(),
    }
    if configuration.evaluation:
        found["EVAL_WORLD_NAME"] = configuration.world
    return found


def free_port(name: str) -> int:
    """Return a free port that follows from a name, or the next free one after it."""
    port = string_to_port(name)
    while not port_is_free(port):
        port += 1
    return port


class Engine:
    """A container engine that is driven by a command like ``docker``."""

    name = ""

    def __init__(self) -> None:
        """Make sure that the engine is there; raises ``RuntimeError`` otherwise."""
        if shutil.which(self.name) is None:
            raise RuntimeError(f"DEEPRACER_BACKEND is {self.name}, but there is no command {self.name}; install it")
        self.probe()

    def probe(self) -> None:
        """Raise ``RuntimeError`` when the engine does not work."""
        done = self.run("version")
        if done.returncode != 0:
            raise RuntimeError(f"DEEPRACER_BACKEND is {self.name}, but it does not work: {done.stderr.strip()}")

    def run(self, *arguments: str, timeout_s: float = 60.0) -> subprocess.CompletedProcess[str]:
        """Run a command of the engine."""
        command = [self.name, *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False)

    def acquire(self, manager: SimulationManager, wanted: Any) -> Handle:
        """Return a simulator for an environment: a warm one, else a new container that listens."""
        from deepracer_native.environments.backends import refuse_what_servers_do_not_send

        refuse_what_servers_do_not_send(wanted)
        wire.libraries()
        timeout_s = ready_timeout_s()
        image = wanted.image or os.environ.get(IMAGE) or DEFAULT_IMAGE

        def make(registration: registry.Registration) -> ContainerSimulator:
            port = free_port(registration.name)
            changed = replace(registration, port=port, container=registration.name)
            simulator = ContainerSimulator(self, wanted, changed)
            try:
                self.start(changed, image, wanted)
                self.wait_until_ready(changed, timeout_s)
            except BaseException:
                simulator.close()
                raise
            simulator.registration = registry.update(registration, port=port, container=registration.name)
            return simulator

        return manager.acquire(
            make,
            fingerprint=wanted.fingerprint(backend=self.name, image=image, cpus=wanted.cpus, memory=wanted.memory),
            world=wanted.configuration.world,
            backend=self.name,
        )

    def start(self, registration: registry.Registration, image: str, wanted: Any) -> None:
        """Start a container in the background."""
        if registration.name in self.leftovers(everything=False):
            # A killed process had the same name.
            self.stop(registration.name)
        arguments = ["run", "--detach", "--name", registration.name]
        labels = {MANAGED: "true", OWNER: str(registration.pid), OWNER_STARTED: registration.started}
        for label, value in labels.items():
            arguments += ["--label", f"{label}={value}"]
        arguments += ["--cpus", str(wanted.cpus), "--memory", wanted.memory]
        arguments += ["--publish", f"{wanted.host}:{registration.port}:{registration.port}"]
        for name, value in variables(wanted.configuration, registration.port, registration.name).items():
            arguments += ["--env", f"{name}={value}"]
        done = self.run(*arguments, image, timeout_s=3600.0)
        if done.returncode != 0:
            raise RuntimeError(
                f"{self.name} cannot start {image}: {done.stderr.strip()}; give image=… or {IMAGE}, or build "
                f"{DEFAULT_IMAGE} from the Containerfile"
            )

    def wait_until_ready(self, registration: registry.Registration, timeout_s: float) -> None:
        """Wait until the simulator says that it listens.

        Raises ``RuntimeError`` with the end of its output when it dies, ``TimeoutError`` when it takes too long.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            output = self.output(registration.name)
            if wire.READY_LINE in output:
                return
            if FATAL in output or not self.is_alive(registration.name):
                tail = "\n".join(output.splitlines()[-TAIL_LINES:])
                raise RuntimeError(f"the simulator in {self.name} container {registration.name} failed:\n{tail}")
            if time.monotonic() > deadline:
                raise TimeoutError(
                    f"the simulator in {self.name} container {registration.name} was not ready within "
                    f"{timeout_s:.0f} s; set {READY_TIMEOUT} to wait longer"
                )
            time.sleep(0.2)

    def output(self, name: str) -> str:
        """Return what a container has printed."""
        done = self.run("logs", name)
        return done.stdout + done.stderr

    def is_alive(self, name: str) -> bool:
        """Whether a container runs."""
        return self.run("inspect", "--format", "{{.State.Running}}", name).stdout.strip() == "true"

    def stop(self, name: str) -> None:
        """Stop and remove a container; nothing happens when there is none."""
        self.run("rm", "--force", name)

    def pause(self, name: str) -> bool:
        """Freeze a container; whether that worked."""
        return self.run("pause", name).returncode == 0

    def unpause(self, name: str) -> bool:
        """Let a frozen container go on; whether it runs."""
        return self.run("unpause", name).returncode == 0 and self.is_alive(name)

    def leftovers(self, everything: bool) -> list[str]:
        """Return the containers whose owner is dead, or with ``everything`` all that environments ever made."""
        form = f'{{{{.Names}}}}|{{{{.Label "{OWNER}"}}}}|{{{{.Label "{OWNER_STARTED}"}}}}'
        done = self.run("ps", "--all", "--filter", f"label={MANAGED}=true", "--format", form)
        found = []
        for line in done.stdout.splitlines():
            name, owner, started = [*line.split("|"), "", ""][:3]
            if everything or (owner.isdigit() and not registry.is_alive(int(owner), started)):
                found.append(name)
        return found

    def remove_images(self) -> list[str]:
        """Remove the images of simulators; return their names."""
        done = self.run("images", "--format", "{{.Repository}}:{{.Tag}}")
        images = [image for image in done.stdout.splitlines() if "deepracer" in image]
        return [image for image in images if self.run("rmi", "--force", image, timeout_s=600.0).returncode == 0]


class Docker(Engine):
    """Docker."""

    name = "docker"


class Podman(Engine):
    """Podman."""

    name = "podman"


class Apptainer(Engine):
    """Apptainer, which has instances, the host's network and no labels."""

    name = "apptainer"

    def start(self, registration: registry.Registration, image: str, wanted: Any) -> None:
        """Start an instance in the background."""
        # A killed process may have had the same name.
        self.stop(registration.name)
        arguments = ["instance", "run", "--writable-tmpfs", "--cpus", str(wanted.cpus), "--memory", wanted.memory]
        for name, value in variables(wanted.configuration, registration.port, registration.name).items():
            arguments += ["--env", f"{name}={value}"]
        source = image if Path(image).exists() or "://" in image else f"docker://{image}"
        done = self.run(*arguments, source, registration.name, timeout_s=3600.0)
        if done.returncode != 0:
            raise RuntimeError(f"{self.name} cannot start {source}: {done.stderr.strip()}; give image=… or {IMAGE}")

    def wait_until_ready(self, registration: registry.Registration, timeout_s: float) -> None:
        """Wait until the instance's port is open."""
        deadline = time.monotonic() + timeout_s
        while True:
            with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
                probe.settimeout(1.0)
                if probe.connect_ex(("127.0.0.1", registration.port)) == 0:
                    return
            if not self.is_alive(registration.name):
                raise RuntimeError(f"the {self.name} instance {registration.name} ended before it listened")
            if time.monotonic() > deadline:
                raise TimeoutError(
                    f"the {self.name} instance {registration.name} was not ready within {timeout_s:.0f} s; set "
                    f"{READY_TIMEOUT} to wait longer"
                )
            time.sleep(0.2)

    def is_alive(self, name: str) -> bool:
        """Whether an instance runs."""
        return any(line.split()[:1] == [name] for line in self.run("instance", "list").stdout.splitlines())

    def stop(self, name: str) -> None:
        """Stop an instance; nothing happens when there is none."""
        self.run("instance", "stop", name)

    def pause(self, name: str) -> bool:
        """Leave the instance as it is: it idles by itself."""
        return self.is_alive(name)

    def unpause(self, name: str) -> bool:
        """Whether the instance still runs."""
        return self.is_alive(name)

    def leftovers(self, everything: bool) -> list[str]:
        """Return the instances that belong to no living process, or with ``everything`` all of environments."""
        names = [line.split()[0] for line in self.run("instance", "list").stdout.splitlines()[1:] if line.split()]
        living = set(registry.running())
        return [name for name in names if name.startswith("deepracer-") and (everything or name not in living)]

    def remove_images(self) -> list[str]:
        """Keep the image files: they are the user's, and Apptainer's own cache is cleaned by its own command."""
        return []


ENGINES: dict[str, type[Engine]] = {engine.name: engine for engine in (Docker, Podman, Apptainer)}


def present() -> list[Engine]:
    """Return the engines of this machine that work."""
    found = []
    for engine in ENGINES.values():
        try:
            found.append(engine())
        except (RuntimeError, OSError, subprocess.TimeoutExpired):
            continue
    return found


class ContainerSimulator(WireSimulator):
    """A race in a container that belongs to this process."""

    def __init__(self, engine: Engine, wanted: Any, registration: registry.Registration) -> None:
        """Connect to it with the first reset."""
        configuration = wanted.configuration
        is_discrete = action_space_type(configuration.agent) == DISCRETE
        super().__init__(wanted.host, registration.port, is_discrete, configuration.sensors)
        self._engine = engine
        self.registration = registration

    def rest(self) -> bool:
        """Freeze the container until somebody else wants the race; whether that is possible."""
        return super().rest() and self._engine.pause(self.registration.name)

    def wake(self) -> bool:
        """Let the container go on; whether it does."""
        return super().wake() and self._engine.unpause(self.registration.name)

    def close(self) -> None:
        """Stop and remove the container."""
        super().close()
        self._engine.stop(self.registration.name)
