"""Name of the processor that figures and times depend on."""

import platform
from pathlib import Path


def processor_name() -> str:
    """Return the name of the processor if the system has it, or its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
