"""Types of the native module."""

__version__: str

def main(arguments: list[str]) -> int:
    """Run one command.

    ``arguments[0]`` is the command's name (``dr``, ``dr-start-training``, ...), the rest its arguments.
    Returns the exit code: 0 done, 1 finished but missed its goal, 2 wrong use, 3 failed, 130 interrupted.
    Raises ``KeyboardInterrupt`` when Ctrl-C arrives while Python code runs.
    """

def run(record: str) -> int:
    """Be the process of the run described by the record file, until it ends; returns its exit code."""
