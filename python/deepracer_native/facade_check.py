"""Whether ``import deepracer`` finds this package's façade, for ``dr-doctor``."""

from __future__ import annotations

import importlib.util
import site
import subprocess
import sys
from importlib import metadata
from pathlib import Path

NAME = "deepracer"
#: Importing the hook puts it to work, so it is only looked at.
HOOK = "deepracer_native.hook"
PTH = "deepracer_native.pth"
FACADE = Path(__file__).parent / "facade" / NAME / "__init__.py"


def check(repair: bool = False) -> str:
    """Return what ``import deepracer`` means; raises ``RuntimeError`` with the reason when that is not the façade.

    With ``repair``, puts the start-up hook back where it is missing.
    """
    if HOOK not in sys.modules:
        if not repair:
            raise RuntimeError(
                f"the start-up hook {PTH} is missing from {home()}, so that `import deepracer` means {other()}"
            )
        return put_back()
    spec = importlib.util.find_spec(NAME)
    origin = spec.origin if spec else None
    if origin is None or not Path(origin).samefile(FACADE):
        raise RuntimeError(
            f"`import deepracer` means a package of your own, {origin}: rename it, or leave it out of the path"
        )
    if importlib.util.find_spec("gymnasium") is None:
        return "the environments need gymnasium, which is not installed"
    return f"this package{beside()}"


def home() -> Path:
    """Return the folder this package is installed in."""
    return Path(__file__).parent.parent


def other() -> str:
    """Return what has the name when the hook does not act."""
    spec = importlib.util.find_spec(NAME)
    return str(spec.origin) if spec and spec.origin else "nothing"


def beside() -> str:
    """Return which other distributions bring modules of that name, in words."""
    names = set()
    for distribution in metadata.distributions():
        name = distribution.metadata["Name"]
        if name and name != NAME and f"{NAME}/__init__.py" in map(str, distribution.files or ()):
            names.add(f"{name} {distribution.version}")
    return f", with the modules of {', '.join(sorted(names))}" if names else ""


def put_back() -> str:
    """Write the start-up hook again; raises ``RuntimeError`` when no interpreter would read it there."""
    folder = home()
    if str(folder) not in [*site.getsitepackages(), site.getusersitepackages()]:
        raise RuntimeError(f"{folder} is no folder whose hooks Python reads at its start; install the package with pip")
    try:
        (folder / PTH).write_text(f"import {HOOK}\n", encoding="utf-8")
    except OSError as error:
        raise RuntimeError(f"cannot write the start-up hook: {error}") from error
    program = f"import {NAME}; print({NAME}.__file__)"
    done = subprocess.run([sys.executable, "-c", program], cwd="/", capture_output=True, text=True, check=False)
    if done.stdout.strip() != str(FACADE):
        said = done.stderr.strip().splitlines()[-1:] or [done.stdout.strip()]
        raise RuntimeError(f"the start-up hook is back in {folder}, but `import deepracer` still fails: {said[0]}")
    return f"this package{beside()}: the start-up hook was put back"
