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


MESH = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="c"><lambert><diffuse>
<color>0.1 0.1 0.9 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="12">-9 -9 0 19 -9 0 19 15 0 -9 15 0</float_array>
<technique_common><accessor source="#a" count="4" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist count="1" material="s"><input semantic="VERTEX" source="#v" offset="0"/>
<vcount>4</vcount><p>0 1 2 3</p></polylist>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node><instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="s" target="#m"/></technique_common></bind_material></instance_geometry></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#w"/></scene></COLLADA>
"""


def test_imported_meshes_replace_the_look(racing):
    """Meshes of a world, by the name of their track or for one that is named."""
    mesh = racing.folder / "Oval_track.dae"
    mesh.write_text(MESH, encoding="utf-8")
    assert racing.dr("tracks", "import", mesh.name).stdout == (
        "Oval_track: meshes imported (2 triangles, 0 textures)\n"
    )
    assert racing.dr("tracks", "import", mesh.name).stdout.startswith("Oval_track: meshes unchanged")
    assert "imported meshes" in racing.dr("tracks", "show", "Oval_track").stdout
    assert "built-in" in racing.dr("tracks", "show", "Bowtie_track").stdout
    mesh.write_text(MESH.replace("0.9 1<", "0.8 1<"), encoding="utf-8")
    assert "--force" in racing.dr("tracks", "import", mesh.name, code=2).stderr
    assert racing.dr("tracks", "import", "--force", mesh.name).stdout.startswith("Oval_track: meshes replaced")
    mesh.write_text(MESH.replace("19 -9 0", "NaN -9 0"), encoding="utf-8")
    told = racing.dr("tracks", "import", "--track", "Bowtie_track", mesh.name, code=2).stderr
    assert "NaN" in told and "line 7" in told
    assert not (racing.folder / "data" / "tracks" / "Bowtie_track").exists()
