"""First study: the scripted Truco styles against each other, and how they differ at the table."""

from collections import Counter

from bolicho.arena.experiment import Experiment
from bolicho.arena.run import Run, run as run_experiment
from bolicho.lab.study import Effort, Figure, Findings, Measured, Table

AGENTS = ("random", "novice", "cautious", "aggressive", "bluffer", "balanced")
