"""``python -m deepracer.clean``: remove what dead processes left behind."""

from __future__ import annotations

import argparse

from deepracer_native.environments import containers, registry

DESCRIPTION = """Remove what ended or killed processes left of their simulators: registrations and containers.
Simulators of living processes are left alone unless --force is given."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    made = argparse.ArgumentParser(prog="python -m deepracer.clean", description=DESCRIPTION)
    made.add_argument(
        "--deep", action="store_true", help="also remove images of containers, and this command's own folder"
    )
    made.add_argument(
        "--force",
        action="store_true",
        help="also stop the simulators of your other living processes; their environments say so at the next reset",
    )
    return made


def main(arguments: list[str] | None = None) -> int:
    """Clean up, say what was done, and return the exit code."""
    chosen = parser().parse_args(arguments)
    try:
        dead = registry.remove_dead()
        print(f"registrations of ended processes: {len(dead)} removed")
        if chosen.force:
            stopped = registry.stop_living()
            print(f"simulators of living processes: {len(stopped)} stopped")
            for registration in stopped:
                print(f"  {registry.RunningSimulator(registration).describe()}")
        else:
            for simulator in registry.running():
                print(f"left alone (--force stops it): {simulator.describe()}")
        for engine in containers.present():
            names = engine.leftovers(chosen.force)
            for name in names:
                engine.stop(name)
            print(f"{engine.name} containers: {len(names)} removed")
            if chosen.deep:
                print(f"{engine.name} images: {len(engine.remove_images())} removed")
        if chosen.deep:
            removed = registry.remove_folder()
            print(f"folder of registrations {registry.own_folder()}: {'removed' if removed else 'in use or not there'}")
    except OSError as error:
        print(f"cannot clean up: {error}")
        return 3
    print("Done.")
    return 0
