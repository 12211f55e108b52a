"""Agents of other authors, each in a process of its own: it gets views as bytes and returns numbers.

Code of another author could reach tables, seeds and opponents through frames and the garbage collector, and a crash in
it would end all games.  Here it is loaded in another process only, which knows the game's rules, the agent's spec and
its questions, and nothing else.  No process plays a deal twice (`process_of`): memory outside the agent's object does
not reach another rotation.

`protocol` has the messages, `process` starts and asks a process, `worker` is what runs in it, `seats` answers for the
agent in the loop.
"""

from bolicho.arena.subprocess_agent.process import Process, end_all, process_of
from bolicho.arena.subprocess_agent.seats import Description, ExternalAgent, describe

__all__ = ["Description", "ExternalAgent", "Process", "describe", "end_all", "process_of"]
