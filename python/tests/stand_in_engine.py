"""Stands in for the command ``docker``: containers are processes here that run ``python -m deepracer.serve``.

State lies in the folder ``ENGINE_STATE`` names. ``ENGINE_BREAKS`` makes ``version`` or ``run`` fail, or the container
die (``image``) or never become ready (``silence``).
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

STATE = Path(os.environ["ENGINE_STATE"])
BREAKS = os.environ.get("ENGINE_BREAKS", "")


def container(name):
    """Return what is known of a container."""
    file = STATE / f"{name}.json"
    if not file.exists():
        sys.exit(f"Error: no such container {name}")
    return json.loads(file.read_text())


def is_alive(pid):
    """Whether a process runs."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def options(arguments):
    """Return options and the rest: every option but the first has a value."""
    found, rest = {}, []
    words = iter(arguments)
    for word in words:
        if word == "--detach":
            continue
        if word.startswith("--"):
            found.setdefault(word, []).append(next(words))
        else:
            rest.append(word)
    return found, rest


def run(arguments):
    """Start a container."""
    if BREAKS == "run":
        sys.exit("Unable to find image 'nowhere:latest'")
    given, (image,) = options(arguments)
    name = given["--name"][0]
    environment = dict(os.environ) | dict(pair.split("=", 1) for pair in given["--env"])
    program = ["-m", "deepracer.serve"]
    if BREAKS == "image":
        program = ["-c", "print('starting'); raise SystemExit('FATAL: no track')"]
    if BREAKS == "silence":
        program = ["-c", "import time; time.sleep(60)"]
    with (STATE / f"{name}.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, *program], env=environment, stdout=log, stderr=log, start_new_session=True
        )
    known = {"pid": process.pid, "labels": given["--label"], "image": image, "options": given}
    (STATE / f"{name}.json").write_text(json.dumps(known))
    print(name)


def remove(name):
    """Stop a container."""
    known = container(name)
    for number in (signal.SIGCONT, signal.SIGTERM):
        if is_alive(known["pid"]):
            os.kill(known["pid"], number)
    deadline = time.monotonic() + 10
    while is_alive(known["pid"]) and time.monotonic() < deadline:
        time.sleep(0.01)
    (STATE / f"{name}.json").unlink()


def main():
    """Do what the command line says."""
    command, *arguments = sys.argv[1:]
    if command == "version":
        sys.exit("Cannot connect to the daemon" if BREAKS == "version" else 0)
    elif command == "run":
        run(arguments)
    elif command == "logs":
        print((STATE / f"{arguments[0]}.log").read_text(), end="")
    elif command == "inspect":
        print(str(is_alive(container(arguments[-1])["pid"])).lower())
    elif command in ("pause", "unpause"):
        os.kill(container(arguments[0])["pid"], signal.SIGSTOP if command == "pause" else signal.SIGCONT)
    elif command == "rm":
        remove(arguments[-1])
    elif command == "ps":
        for file in sorted(STATE.glob("*.json")):
            labels = dict(pair.split("=", 1) for pair in container(file.stem)["labels"])
            print(f"{file.stem}|{labels['deepracer.owner']}|{labels['deepracer.owner_started']}")
    elif command == "images":
        print("deepracer:latest\nubuntu:24.04")
    elif command == "rmi":
        print(f"Untagged: {arguments[-1]}")
    else:
        sys.exit(f"unknown command {command}")


main()
