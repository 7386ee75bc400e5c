"""``python -m deepracer.clean``: remove what dead processes left behind."""

from __future__ import annotations

import argparse

from deepracer_native.environments import registry

DESCRIPTION = """Remove what ended or killed processes left of their simulators. Simulators of living processes are
left alone unless --force is given."""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    made = argparse.ArgumentParser(prog="python -m deepracer.clean", description=DESCRIPTION)
    made.add_argument("--deep", action="store_true", help="also remove the folder of registrations once it is empty")
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
        if chosen.deep:
            removed = registry.remove_folder()
            print(f"folder of registrations {registry.own_folder()}: {'removed' if removed else 'in use or not there'}")
    except OSError as error:
        print(f"cannot clean up: {error}")
        return 3
    print("Done.")
    return 0
