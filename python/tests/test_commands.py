"""Every command of the original exists, explains itself, and refuses what it cannot do."""

import re
import subprocess
from importlib import metadata

import pytest

COMMANDS = sorted(script.name for script in metadata.distribution("deepracer").entry_points)
UNSUPPORTED = [
    "start-viewer", "stop-viewer", "update-viewer", "view-stream", "start-loganalysis", "stop-loganalysis",
    "logs-loganalysis", "url-loganalysis", "start-metrics", "stop-metrics", "find-sagemaker", "find-robomaker",
    "get-robomaker-stats", "local-aws", "list-aws-models", "set-upload-model", "upload-model", "download-model",
    "increment-upload-model", "upload-car-zip", "start-tournament",
]  # fmt: skip
SUPPORTED = [name.removeprefix("dr-") for name in COMMANDS if name != "dr" and name[3:] not in UNSUPPORTED]


@pytest.mark.parametrize("name", SUPPORTED)
def test_help_shows_usage_examples_and_exit_codes(racing, name):
    """The help speaks of the program that was called."""
    told = racing.dr(name, "--help").stdout
    assert f"Usage: dr-{name}" in told
    assert "Exit codes: 0 done" in told
    assert "Examples:" in told


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_what_is_not_supported_exits_2_and_says_what_to_do_instead(racing, name):
    """No command without a function, none that silently does nothing."""
    done = racing.dr(name, code=2)
    assert re.match(rf"error: `dr-{name}` is not supported yet: .{{20,}}", done.stderr)
    assert done.stdout == ""


def test_dr_lists_all_commands_and_runs_them(racing):
    """`dr X` is `dr-X`."""
    dr = racing.command("init")[0].removesuffix("-init")
    told = subprocess.run([dr, "--help"], capture_output=True, text=True, check=True).stdout
    assert all(name in told for name in SUPPORTED)
    both = [
        subprocess.run([dr, "tracks", "list", "Oval"], capture_output=True, text=True, check=True).stdout,
        racing.dr("tracks", "list", "Oval").stdout,
    ]
    assert both[0] == both[1] != ""


def test_a_mistyped_option_names_the_nearest_one(racing):
    """Wrong use exits 2 and goes to the standard error."""
    done = racing.dr("start-training", "--wpe", code=2)
    assert done.stderr.startswith("error: unexpected argument '--wpe'")
    assert "--wipe" in done.stderr
    assert done.stdout == ""


def test_without_a_racing_folder_the_error_says_where_it_looked(racing, tmp_path):
    """A terse "No configuration file" helped nobody."""
    done = racing.dr("summary", cwd=tmp_path, code=2)
    assert str(tmp_path) in done.stderr
    assert "dr-init" in done.stderr
    assert racing.dr("summary", cwd=tmp_path, env={"DR_DIR": str(racing.folder)}).returncode == 0
    assert racing.dr("summary", cwd=racing.folder / "custom_files").returncode == 0
