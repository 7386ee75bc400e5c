"""The notebooks in `examples/` run from their first cell to their last. Plots are drawn, but shown nowhere."""

import json
import re
from pathlib import Path

import pytest

matplotlib = pytest.importorskip("matplotlib")

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name, **smaller):
    """Run the code of a notebook, with smaller numbers for some of its constants; return its names."""
    cells = json.loads((EXAMPLES / name).read_text(encoding="utf-8"))["cells"]
    names = {}
    for number, cell in enumerate(cells):
        assert not cell.get("outputs"), "notebooks are kept without outputs"
        if cell["cell_type"] == "code":
            code = "".join(cell["source"])
            for constant, value in smaller.items():
                code = re.sub(rf"^{constant} = .*$", f"{constant} = {value}", code, flags=re.MULTILINE)
            exec(compile(code, f"{name}, cell {number}", "exec"), names)
    return names


@pytest.fixture
def no_screen(simulators, monkeypatch):
    matplotlib.use("Agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def test_first_drive(no_screen):
    names = run("01_first_drive.ipynb")
    assert names["ended"] == ["lap_complete"]


def test_train_with_sb3(no_screen):
    pytest.importorskip("stable_baselines3")
    names = run("02_train_with_sb3.ipynb", STEPS_PER_ROUND=256, MOST_ROUNDS=1, NUM_RACES=4)
    assert names["steps"][-1]["progress"] > 0
