"""The tables of the documentation that follow from the code.

``python -m deepracer_native.environments.reference docs/src/gymnasium.md`` puts them into the page, each after the
comment with its name.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from deepracer_native.environments import track_keys
from deepracer_native.environments.defaults import default_track_config
from deepracer_native.environments.spaces import SENSOR_SPACE, STATE_NUMBERS


def track_config() -> str:
    """Return the table of the keys of ``track_config``."""
    defaults = default_track_config()
    lines = ["| key | default | legal | meaning |", "|---|---|---|---|"]
    lines.append(f"| `WORLD_NAME` | {_shown(defaults['WORLD_NAME'])} | a world | track and surroundings |")
    for key in track_keys.KEYS:
        default = defaults.get(key.name, key.default)
        lines.append(f"| `{key.name}` | {_shown(default)} | {key.legal} | {key.meaning} |")
    return "\n".join(lines)


def sensors() -> str:
    """Return the table of the sensors."""
    lines = ["| sensor | shape | type | range |", "|---|---|---|---|"]
    for name, space in SENSOR_SPACE.items():
        low, high = space.low.flat[0], space.high.flat[0]
        lines.append(f"| `{name}` | {list(space.shape)} | {space.dtype} | {low:g} to {high:g} |")
    return "\n".join(lines)


def state() -> str:
    """Return the table of the state vector."""
    lines = ["| index | number | from | to |", "|---|---|---|---|"]
    for index, (name, low, high) in enumerate(STATE_NUMBERS):
        lines.append(f"| {index} | `{name}` | {low:.4g} | {high:.4g} |")
    return "\n".join(lines)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if value in ("", ()):
        return "none"
    return f"`{value}`" if isinstance(value, str) else f"{value}"


TABLES = {"track_config": track_config, "sensors": sensors, "state": state}


def with_tables(page: str) -> str:
    """Return a page with its tables as they should be."""
    for name, table in TABLES.items():
        place = re.compile(rf"(<!-- {name} -->\n)(\|.*\n)*")
        page = place.sub(lambda found, table=table: f"{found.group(1)}{table()}\n", page)
    return page


if __name__ == "__main__":
    file = Path(sys.argv[1])
    file.write_text(with_tables(file.read_text(encoding="utf-8")), encoding="utf-8")
