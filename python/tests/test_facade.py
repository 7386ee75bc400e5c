"""``import deepracer``: ours, merged with what other distributions of that name bring, whatever was installed last.

Wheels are installed into throw-away environments: this package's (``DEEPRACER_WHEEL``) and that of deepracer-utils
(``DEEPRACER_UTILS_WHEEL``). What both need is linked in from the environments that run the tests.
"""

import ast
import json
import os
import re
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import deepracer
import pytest

LOOK = """
    import json, sys
    found = {}
    try:
        import gymnasium as gym, deepracer
        found["registered"] = "deepracer-v0" in gym.registry
        names = ("close", "running", "shutdown_all", "make_vec")
        found["functions"] = [name for name in names if hasattr(deepracer, name)]
        found["version"] = getattr(deepracer, "__version__", None)
        found["pandas"] = "pandas" in sys.modules
    except Exception as error:
        found["error"] = repr(error)
    from importlib.util import find_spec
    found["logs"] = find_spec("deepracer.logs") is not None and find_spec("deepracer.tracks") is not None
    if found.get("registered"):
        env = gym.make("deepracer-v0", agent_config={"sensor": ["FRONT_FACING_CAMERA"]}, world_name="reinvent_base")
        env.reset(seed=1)
        env.close()
        import deepracer.envs, deepracer.defaults, deepracer.service.manager, deepracer.utils
        found["envs"] = hasattr(deepracer.envs, "DeepracerGymEnv")
    print(json.dumps(found))
"""

READ_LOGS = """
    import json, deepracer
    from deepracer.logs import DeepRacerLog
    from deepracer import tracks
    print(json.dumps({"same": deepracer.logs.DeepRacerLog is DeepRacerLog, "running": deepracer.running()}))
"""

OURS = {
    "registered": True,
    "functions": ["close", "running", "shutdown_all", "make_vec"],
    "version": deepracer.__version__,
    "pandas": False,
    "envs": True,
}


class Place:
    """An environment of its own, without pip, with the packages that both distributions need linked in."""

    def __init__(self, folder: Path, needs: list[Path]):
        """Make it."""
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        self.python = folder / "bin" / "python"
        self.packages = next(folder.glob("lib/python*/site-packages"))
        for packages in needs:
            for entry in packages.iterdir():
                target = self.packages / entry.name
                is_own = (
                    entry.name.lower().startswith(("deepracer", "_", "pip", "setuptools")) or entry.suffix == ".pth"
                )
                if not is_own and not target.exists():
                    target.symlink_to(entry)

    def pip(self, *arguments: str) -> None:
        """Run this environment's pip, which has no network."""
        command = [sys.executable, "-m", "pip", "--python", self.python, *arguments, "--quiet"]
        subprocess.run([*command, "--disable-pip-version-check"], check=True, timeout=120)

    def install(self, wheel: str) -> None:
        """Install one wheel and nothing it needs."""
        self.pip("install", "--no-deps", "--no-index", "--no-compile", wheel)

    def doctor(self, *arguments: str) -> str:
        """Run dr-doctor and return what it printed."""
        command = [self.python.parent / "dr-doctor", *arguments]
        return subprocess.run(command, cwd="/", capture_output=True, text=True, timeout=60).stdout

    def look(self, program: str = LOOK, folder: Path | None = None, **environment: str) -> dict:
        """Run a program that prints JSON."""
        done = subprocess.run(
            [self.python, "-c", textwrap.dedent(program)],
            env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | environment,
            cwd=folder or "/",
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def wheels():
    ours, utils = os.environ.get("DEEPRACER_WHEEL"), os.environ.get("DEEPRACER_UTILS_WHEEL")
    if not ours or not utils:
        pytest.skip("DEEPRACER_WHEEL and DEEPRACER_UTILS_WHEEL do not name wheels")
    return ours, utils


@pytest.fixture
def place(tmp_path):
    utils_python = os.environ.get("DEEPRACER_UTILS_PYTHON")
    if not utils_python:
        pytest.skip("DEEPRACER_UTILS_PYTHON names no interpreter with deepracer-utils")
    here = Path(sys.executable).parent.parent
    there = Path(utils_python).parent.parent
    return Place(tmp_path / "place", [next(root.glob("lib/python*/site-packages")) for root in (here, there)])


def test_installed_before_deepracer_utils(place, wheels, tmp_path):
    ours, utils = wheels
    place.install(ours)
    assert place.look() == OURS | {"logs": False}
    place.install(utils)
    assert place.look() == OURS | {"logs": True}
    assert place.look(READ_LOGS) == {"same": True, "running": []}
    # Without its hook the other one has the name; the doctor puts it back.
    (place.packages / "deepracer_native.pth").unlink()
    assert place.look()["version"] == "1.5.6"
    assert "the start-up hook deepracer_native.pth is missing" in place.doctor()
    told = place.doctor("--repair")
    assert "ok    import deepracer: this package, with the modules of deepracer-utils 1.5.6: the start-up hook" in told
    assert "ok    import deepracer: this package, with the modules of deepracer-utils 1.5.6\n" in place.doctor()
    assert place.look() == OURS | {"logs": True}
    place.pip("uninstall", "--yes", "deepracer-utils")
    assert place.look() == OURS | {"logs": False}
    # Earlier on the path than all that is installed.
    with zipfile.ZipFile(utils) as wheel:
        wheel.extractall(tmp_path / "elsewhere")
    assert place.look(PYTHONPATH=str(tmp_path / "elsewhere")) == OURS | {"logs": True}


def test_installed_after_deepracer_utils(place, wheels):
    ours, utils = wheels
    place.install(utils)
    place.install(ours)
    assert place.look() == OURS | {"logs": True}
    place.pip("uninstall", "--yes", "deepracer")
    left = place.look()
    assert left["logs"] is True
    assert left["version"] == "1.5.6"
    assert not left["registered"]
    assert not [entry for entry in place.packages.iterdir() if entry.name.startswith("deepracer_native")]


def test_a_package_of_the_users_own_wins(tmp_path):
    package = tmp_path / "deepracer"
    package.mkdir()
    (package / "__init__.py").write_text("MINE = True\n")
    program = "import deepracer; print(deepracer.MINE)"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stdout == "True\n", done.stderr


def test_a_folder_of_that_name_is_in_nobodys_way(tmp_path):
    (tmp_path / "deepracer").mkdir()
    program = "import deepracer; print(deepracer.running)"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("<function running"), done.stderr


def test_interpreters_start_without_our_native_module(tmp_path):
    program = "import sys; print(sorted(name for name in sys.modules if 'deepracer' in name or name == 'numpy'))"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stdout == "['deepracer_native', 'deepracer_native.hook']\n"


def test_modules_of_the_original_can_be_imported():
    from deepracer.defaults import default_reward_function
    from deepracer.envs import DeepracerGymEnv
    from deepracer.service.identity import free_env_id, make_identity, port_is_free, string_to_port
    from deepracer.utils import terminated_check, truncated_check

    assert callable(default_reward_function())
    assert DeepracerGymEnv.metadata["render_modes"] == ["rgb_array", "human"]
    assert make_identity("ana", 2).name == "deepracer-ana-2"
    assert all(1024 <= string_to_port(text) <= 32767 for text in "abcdefgh")
    # As the original gives them: its servers and clients find ours.
    assert [string_to_port(text) for text in ("root", "root_0", "ana", "deepracer")] == [32077, 12159, 24943, 2410]
    free = free_env_id("ana", 4, taken=(0,))
    assert free != 0
    assert port_is_free(make_identity("ana", free).port)
    assert terminated_check({"off_track": True}, True)
    assert not terminated_check({"off_track": True}, False)
    assert truncated_check({"immobilized": True}, True)
    with pytest.warns(UserWarning, match="restart the simulator"):
        assert truncated_check({}, True)
    with pytest.raises(AttributeError, match="no_such_thing"):
        deepracer.no_such_thing  # noqa: B018


def test_every_module_of_the_facade_has_its_types():
    facade = Path(deepracer.__file__).parent
    stubs = Path(__file__).parents[1] / "wheel.data" / "purelib" / "deepracer-stubs"
    assert (stubs / "py.typed").read_text() == "partial\n"
    for module in facade.rglob("*.py"):
        names = next((ast.literal_eval(node.value) for node in ast.parse(module.read_text()).body if is_all(node)), [])
        if names:
            text = (stubs / module.relative_to(facade)).with_suffix(".pyi").read_text()
            missing = [name for name in names if not re.search(rf"\b(as|def) {name}\b", text)]
            assert not missing, f"{module.name}: {missing}"


def is_all(node):
    return isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
