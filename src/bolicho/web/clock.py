"""Time source of a server process.

All code in `web/` reads and waits for time through a `Clock` (or through timeouts of the event loop, which has a
clock of its own), so that a simulation can replace both.
"""

import asyncio
import time


class Clock:
    """System clock."""

    def now(self) -> float:
        """Return the wall-clock time in seconds since 1970, which is stored and may jump."""
        return time.time()

    def monotonic(self) -> float:
        """Return seconds since an arbitrary moment, which never jump."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait in the event loop."""
        await asyncio.sleep(seconds)


SYSTEM = Clock()
