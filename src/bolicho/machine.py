"""The machine that figures and times depend on, and the browser installed on it."""

import os
import platform
import shutil
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def processor_name() -> str:
    """Return the name of the processor if the system has it, or its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def machine() -> str:
    """Return the machine and the version of Python in a line."""
    return f"{processor_name()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def browser() -> str | None:
    """Return the path of a browser, or None."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)
