"""Which simulators run on this host: one small file per simulator, readable by every process.

A file outlives a killed process; it then names a process that is gone, counts for nothing, and is removed by
whoever next writes here. Nothing else of a simulator is ever outside of its process.
"""

from __future__ import annotations

import contextlib
import fcntl
import getpass
import json
import os
import re
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from deepracer_native import _native

LIVE, WARM = "live", "warm"
NATIVE = "native"
#: What ``deepracer.clean --force`` leaves for a living process to find.
STOPPED = ".stopped"
#: No registration is longer; whatever is, is none.
MAX_BYTES = 4096


def current_user() -> str:
    """Return the name of the user, or its number where it has none, as it may stand in names of files."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        name = str(os.getuid())
    return re.sub(r"[^A-Za-z0-9_-]", "-", name)


def common_folder() -> Path:
    """Return the folder in which every user has one."""
    return Path(tempfile.gettempdir())


def own_folder() -> Path:
    """Return this user's folder of registrations; it need not exist."""
    return common_folder() / f"deepracer-{os.getuid()}" / "simulators"


def is_alive(pid: int, started: str) -> bool:
    """Whether the process of this number that was started then still lives."""
    return _native.process_started(pid) == started


@dataclass(frozen=True)
class Registration:
    """What a process says about a simulator of its own."""

    name: str
    pid: int
    #: When the process was started, in the system's own words: tells it from a later one with the same number.
    started: str
    world: str
    num_races: int
    #: Unix time at which the simulator was made, seconds.
    since: float
    #: ``live`` (an environment uses it) or ``warm`` (kept for the next one).
    state: str = LIVE
    backend: str = NATIVE
    #: Name of its container, where it has one.
    container: str | None = None
    port: int | None = None

    def is_alive(self) -> bool:
        """Whether the process that made it still lives."""
        return is_alive(self.pid, self.started)

    def is_own(self) -> bool:
        """Whether it belongs to this process."""
        return self.pid == os.getpid()


class RunningSimulator(str):
    """The name of a running simulator, with what is known about it."""

    #: Process that holds it.
    pid: int
    #: World it races in.
    world: str
    #: Seconds since it was made.
    age_s: float
    #: Races in it: 1, or the number of environments of a vector environment.
    num_races: int
    #: ``live``, or ``warm``: kept for the next environment of its process.
    state: str
    #: ``native``, ``serve``, or the container engine it runs in.
    backend: str
    #: Port it listens on; ``None`` when it is inside of its process.
    port: int | None

    def __new__(cls, registration: Registration) -> RunningSimulator:
        """Make it from a registration."""
        self = super().__new__(cls, registration.name)
        self.pid = registration.pid
        self.world = registration.world
        self.age_s = max(0.0, time.time() - registration.since)
        self.num_races = registration.num_races
        self.state = registration.state
        self.backend = registration.backend
        self.port = registration.port
        return self

    def describe(self) -> str:
        """Return everything in one line."""
        races = "" if self.num_races == 1 else f", {self.num_races} races"
        engine = "" if self.backend == NATIVE else f", {self.backend}"
        port = "" if self.port is None else f", port {self.port}"
        return f"{self}: {self.world}{races}, {self.state}, process {self.pid}{engine}{port}, {self.age_s:.0f} s old"


def running() -> list[RunningSimulator]:
    """Return the simulators of all processes of this host whose registrations can be read, by name."""
    alive = (registration for registration in _all_users() if registration.is_alive())
    return sorted(RunningSimulator(registration) for registration in alive)


def _all_users() -> Iterator[Registration]:
    for folder in sorted(common_folder().glob("deepracer-*/simulators")):
        yield from read_all(folder)


def read_all(folder: Path) -> list[Registration]:
    """Return the registrations in a folder; what is none is passed over."""
    found = (_read(file) for file in sorted(folder.glob("*.json")))
    return [registration for registration in found if registration is not None]


def _read(file: Path) -> Registration | None:
    try:
        with file.open("rb") as opened:
            content = json.loads(opened.read(MAX_BYTES))
        registration = Registration(**content)
        numbers_fit = isinstance(registration.pid, int) and 0 < registration.pid < 2**31
        return registration if numbers_fit and registration.name == file.stem else None
    except (OSError, ValueError, TypeError):
        return None


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the folder, so that two processes never take the same name."""
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        raise PermissionError(f"{folder} belongs to somebody else")
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


_has_warned = False


def register(world: str, num_races: int, backend: str = NATIVE) -> Registration:
    """Register a simulator of this process under the first free name, ``deepracer-<user>-<number>``.

    Where the folder cannot be written the simulator works, unknown to other processes, and a warning says so once.
    """
    global _has_warned
    pid = os.getpid()
    mine = Registration(
        name="",
        pid=pid,
        started=_native.process_started(pid) or "",
        world=world,
        num_races=num_races,
        since=time.time(),
        backend=backend,
    )
    folder = own_folder()
    try:
        with _locked(folder):
            _remove_dead(folder)
            number = 0
            while (folder / f"{_name(number)}.json").exists():
                number += 1
            mine = replace(mine, name=_name(number))
            _write(folder, mine)
    except OSError as error:
        if not _has_warned:
            _has_warned = True
            warnings.warn(
                f"other processes do not see the simulators of this one: {error}; set TMPDIR to a folder you may write",
                UserWarning,
                stacklevel=2,
            )
        mine = replace(mine, name=f"deepracer-{current_user()}-p{pid}-{time.monotonic_ns()}")
    return mine


def _name(number: int) -> str:
    return f"deepracer-{current_user()}-{number}"


def _write(folder: Path, registration: Registration) -> None:
    temporary = folder / f".{registration.name}.{registration.pid}"
    temporary.write_text(json.dumps(asdict(registration)), encoding="utf-8")
    temporary.replace(folder / f"{registration.name}.json")


def update(registration: Registration, **changes: object) -> Registration:
    """Change what is said about a simulator of this process."""
    changed = replace(registration, **changes)
    with contextlib.suppress(OSError), _locked(own_folder()):
        _write(own_folder(), changed)
    return changed


def unregister(registration: Registration) -> None:
    """Take a simulator of this process off the list."""
    folder = own_folder()
    with contextlib.suppress(OSError), _locked(folder):
        if _read(folder / f"{registration.name}.json") == registration:
            (folder / f"{registration.name}.json").unlink(missing_ok=True)
        _mark(folder, registration).unlink(missing_ok=True)


def _mark(folder: Path, registration: Registration) -> Path:
    """Return the file that tells a living process to stop a simulator. Its name may have a new owner by then."""
    return folder / f"{registration.name}.{registration.pid}{STOPPED}"


def _remove_dead(folder: Path) -> list[Registration]:
    """Remove what dead processes left in a folder that is held; return it."""
    dead = [registration for registration in read_all(folder) if not registration.is_alive()]
    for registration in dead:
        (folder / f"{registration.name}.json").unlink(missing_ok=True)
    for mark in folder.glob(f"*{STOPPED}"):
        pid = mark.name.split(".")[-2]
        if not pid.isdigit() or _native.process_started(int(pid)) is None:
            mark.unlink(missing_ok=True)
    return dead


def remove_dead() -> list[Registration]:
    """Remove what dead processes of this user left; return it."""
    folder = own_folder()
    if not folder.is_dir():
        return []
    with _locked(folder):
        for leftover in folder.glob(".deepracer-*"):
            leftover.unlink(missing_ok=True)
        return _remove_dead(folder)


def stop_living() -> list[Registration]:
    """Ask the living simulators of this user's other processes to stop; return them.

    Their environments raise ``SimulatorStopped`` at the next reset.
    """
    folder = own_folder()
    if not folder.is_dir():
        return []
    with _locked(folder):
        others = [registration for registration in read_all(folder) if not registration.is_own()]
        for registration in others:
            _mark(folder, registration).touch()
            (folder / f"{registration.name}.json").unlink(missing_ok=True)
        return others


def is_stopped(registration: Registration) -> bool:
    """Whether somebody asked this simulator to stop."""
    return _mark(own_folder(), registration).exists()


def remove_folder() -> bool:
    """Remove this user's folder when nothing is registered in it; return whether it was there and is gone."""
    folder = own_folder()
    if not folder.is_dir() or any(folder.glob("*.json")):
        return False
    for file in folder.iterdir():
        file.unlink(missing_ok=True)
    folder.rmdir()
    with contextlib.suppress(OSError):
        folder.parent.rmdir()
    return True
