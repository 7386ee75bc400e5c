"""Lets ``import deepracer`` find the façade of this package, whatever else is called ``deepracer``.

``deepracer_native.pth`` imports this module when an interpreter starts, so it does next to nothing. Another
distribution, deepracer-utils, installs a package of the same name; whichever is installed last would hide the
other one. The façade's search path therefore holds both, and neither owns ``deepracer/__init__.py`` alone.
"""

import sys

NAME = "deepracer"


class FacadeFinder:
    """A finder for the one name ``deepracer``."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """Return where the façade is; ``None`` for every other name, and where a package of the user's own has it."""
        if name != NAME:
            return None
        from importlib.util import spec_from_file_location
        from pathlib import Path

        folders = [folder for folder in (Path(entry, NAME) for entry in sys.path) if folder.is_dir()]
        if folders and is_the_users_own(folders[0]):
            return None
        facade = Path(__file__).parent / "facade" / NAME
        search = [str(facade), *(str(folder) for folder in folders if folder != facade)]
        return spec_from_file_location(name, facade / "__init__.py", submodule_search_locations=search)


def is_the_users_own(folder):
    """Tell a package of the user's own, which wins as it would without this hook, from an installed one."""
    is_installed = {"site-packages", "dist-packages"} & set(folder.parts)
    is_utils = (folder / "logs").is_dir()
    return (folder / "__init__.py").is_file() and not is_installed and not is_utils


if FacadeFinder not in sys.meta_path:
    sys.meta_path.insert(0, FacadeFinder)
