"""A window for ``render_mode="human"``, which pygame opens."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import numpy as np

#: A small picture is shown this many times as large.
SCALE = 4


def has_display() -> bool:
    """Whether a window can be opened here."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def expect_display() -> None:
    """Raise ``RuntimeError`` where no window can be opened."""
    if not has_display():
        raise RuntimeError(
            'render_mode="human" opens a window, but there is no display here (DISPLAY is not set); '
            'use render_mode="rgb_array" and show or record what env.render() returns'
        )


class Window:
    """A window that shows pictures at the speed of the simulation."""

    def __init__(self, title: str, frames_per_s: float) -> None:
        """Open nothing yet: the first picture says how large it is."""
        self._title = title
        self._period_s = 1.0 / frames_per_s
        self._next_s = 0.0
        self._screen: Any = None

    def show(self, picture: np.ndarray) -> None:
        """Show a picture ``[height, width, 3]``, not before its time."""
        left_s = self._next_s - time.monotonic()
        if left_s > 0:
            time.sleep(left_s)
        self._next_s = time.monotonic() + self._period_s
        large = picture.repeat(SCALE, axis=0).repeat(SCALE, axis=1)
        if self._screen is None:
            self._screen = open_screen(self._title, large.shape[1], large.shape[0])
        self._screen.show(large)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._screen is not None:
            self._screen.close()
            self._screen = None


def open_screen(title: str, width: int, height: int) -> PygameScreen:
    """Open a window; raises ``RuntimeError`` with what to install where there is no pygame."""
    try:
        return PygameScreen(title, width, height)
    except ImportError:
        raise RuntimeError('render_mode="human" needs pygame for its window: pip install "deepracer[human]"') from None


class PygameScreen:
    """A window of pygame."""

    def __init__(self, title: str, width: int, height: int) -> None:
        """Open it."""
        import pygame

        self._pygame = pygame
        pygame.display.init()
        pygame.display.set_caption(title)
        self._surface = pygame.display.set_mode((width, height))

    def show(self, picture: np.ndarray) -> None:
        """Show a picture ``[height, width, 3]`` of the window's size."""
        self._pygame.event.pump()
        self._pygame.surfarray.blit_array(self._surface, picture.swapaxes(0, 1))
        self._pygame.display.flip()

    def close(self) -> None:
        """Close it."""
        self._pygame.display.quit()
