"""The command line as `python -m bolicho`."""

from bolicho.cli import main

main()
