"""Default configurations, and how given ones are read and merged over them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent.parent / "facade" / "deepracer" / "defaults"

Configuration = Mapping[str, Any] | str | os.PathLike[str] | None


def default_agent_config() -> dict[str, Any]:
    """Return a fresh copy of the default agent: five actions at 0.6 m/s, stereo camera and lidar."""
    return json.loads((FOLDER / "agent_params.json").read_text(encoding="utf-8"))


def default_track_config() -> dict[str, Any]:
    """Return a fresh copy of the default track: ``reInvent2019_wide``, nothing on it."""
    return yaml.safe_load((FOLDER / "environment_params.yaml").read_text(encoding="utf-8"))


def resolve_agent_config(cfg: Configuration = None) -> dict[str, Any]:
    """Merge an agent's configuration over the default one, key by key.

    ``cfg`` is a dictionary, the path of a JSON file (the same as ``model_metadata.json``), or ``None``. A given
    ``action_space`` replaces the whole default one; a continuous one needs ``action_space_type`` too.
    """
    return default_agent_config() | given("agent_config", cfg)


def resolve_track_config(cfg: Configuration = None) -> dict[str, Any]:
    """Merge a track's configuration over the default one, key by key.

    ``cfg`` is a dictionary, the path of a YAML or JSON file, or ``None``.
    """
    return default_track_config() | given("track_config", cfg)


def given(argument: str, cfg: Configuration) -> dict[str, Any]:
    """Return what the user gave, as a dictionary of its own.

    Raises ``TypeError`` for what is neither dictionary, path nor ``None``; ``FileNotFoundError`` and ``ValueError``
    for files that are missing or hold something else.
    """
    if cfg is None:
        return {}
    if isinstance(cfg, Mapping):
        return dict(cfg)
    if not isinstance(cfg, str | os.PathLike):
        raise TypeError(f"{argument} must be a dict, the path of a file or None, not {type(cfg).__name__}")
    path = Path(cfg)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise FileNotFoundError(f"{argument}: there is no file {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{argument}: cannot read {path}: {error}") from error
    try:
        # JSON is YAML too, except for tabs, which YAML does not indent with.
        content = json.loads(text) if path.suffix.lower() == ".json" else yaml.safe_load(text)
    except (ValueError, yaml.YAMLError) as error:
        raise ValueError(f"{argument}: {path} is neither JSON nor YAML: {error}") from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise ValueError(f"{argument}: {path} must hold keys and values, not a {type(content).__name__}")
    return content
