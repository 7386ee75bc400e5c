"""`dr-tracks`, and track names in settings."""

import json
import os
import shutil
from pathlib import Path

import numpy
import pytest

SHARED = Path(os.environ.get("DEEPRACER_SHARED", Path(__file__).parents[3] / "shared"))
ROUTES = SHARED / "data" / "routes"
needs_routes = pytest.mark.skipif(not ROUTES.is_dir(), reason=f"no route files in {ROUTES}")


def test_list_finds_names_and_titles(racing):
    """By any part of a name, in any case."""
    everything = json.loads(racing.dr("tracks", "list", "--json").stdout)
    assert len(everything) == 127
    found = json.loads(racing.dr("tracks", "list", "re:invent 2018", "--json").stdout)
    assert [track["name"] for track in found] == ["reinvent_base"]
    assert found[0]["length_m"] == pytest.approx(17.67, abs=0.05)
    assert found[0]["source"] == "blueprint"
    assert "nothing_like_it" in racing.dr("tracks", "list", "nothing_like_it").stderr


def test_show_draws_a_png_and_prints_facts(racing):
    """The picture lies where it says."""
    told = racing.dr("tracks", "show", "re:Invent 2018").stdout
    assert "119" in told and "blueprint" in told
    assert (racing.folder / "reinvent_base.png").read_bytes().startswith(b"\x89PNG")
    racing.dr("tracks", "show", "Oval_track", "--output", "my oval.png")
    assert (racing.folder / "my oval.png").is_file()


def test_a_wrong_name_offers_the_nearest(racing):
    """Marketing names and file names differ; nobody knows all of them."""
    for done in (
        racing.dr("tracks", "show", "reinvent_bse", code=2),
        racing.dr("start-training", "--set", "DR_WORLD_NAME=reinvent_bse", code=2),
        racing.dr("start-training", "--set", "DR_WORLD_NAME=reinvent_base\r", code=2),
    ):
        assert "reinvent_base" in done.stderr
    assert not (racing.bucket / "rl-deepracer-sagemaker").exists()


@needs_routes
def test_an_imported_route_replaces_the_built_in_one(racing, tmp_path):
    """A folder or a file; a different file only with --force."""
    source = tmp_path / "published routes"
    source.mkdir()
    for name in ("reinvent_base", "Oval_track"):
        shutil.copy(ROUTES / f"{name}.npy", source)
    assert sorted(racing.dr("tracks", "import", str(source)).stdout.splitlines()) == [
        "Oval_track: imported",
        "reinvent_base: imported",
    ]
    assert "imported from" in racing.dr("tracks", "show", "reinvent_base").stdout
    assert racing.dr("tracks", "import", str(source / "reinvent_base.npy")).stdout == "reinvent_base: unchanged\n"
    changed = numpy.load(source / "reinvent_base.npy")
    numpy.save(source / "reinvent_base.npy", changed + 0.01)
    assert "--force" in racing.dr("tracks", "import", str(source), code=2).stderr
    assert "reinvent_base: replaced" in racing.dr("tracks", "import", "--force", str(source)).stdout


def test_check_lists_what_is_wrong_with_a_route(racing):
    """A usable file exits 0, any other says why not."""
    angles = numpy.linspace(0.0, 2.0 * numpy.pi, 60)
    angles[-1] = 0.0
    ring = lambda radius: numpy.stack([radius * numpy.cos(angles), radius * numpy.sin(angles)], axis=1)  # noqa: E731
    good = numpy.hstack([ring(4.0), ring(3.5), ring(4.5)])
    numpy.save(racing.folder / "ring.npy", good)
    assert "can be driven" in racing.dr("tracks", "check", "ring.npy").stdout
    racing.dr("tracks", "import", "ring.npy")
    assert racing.dr("tracks", "show", "ring").returncode == 0

    numpy.save(racing.folder / "two_columns.npy", good[:, :2])
    assert "[60, 2]" in racing.dr("tracks", "check", "two_columns.npy", code=2).stderr
    bad = good.copy()
    bad[7, 0] = numpy.nan
    numpy.save(racing.folder / "nan.npy", bad)
    assert "7" in racing.dr("tracks", "check", "nan.npy", code=2).stderr
    (racing.folder / "text.npy").write_text("not a route")
    racing.dr("tracks", "import", "text.npy", code=2)
