"""External agents, each in a separate process that gets views as bytes and returns numbers.

Code of an external agent could reach tables, seeds and opponents through frames and the garbage collector, and a crash
would end all games.  Here it is loaded only in a child process, which gets the game's rules, the agent's spec and its
questions.  No process plays a deal twice (`process_of`), so memory outside the agent's object does not reach another
rotation.

`protocol` defines the messages, `process` manages a child process, `fork_server` starts it quickly, `worker` is its
program, `seats` connects the agent to the loop.
"""

from bolicho.arena.subprocess_agent.process import Process, end_all, process_of
from bolicho.arena.subprocess_agent.seats import Description, SubprocessAgent, describe

__all__ = ["Description", "Process", "SubprocessAgent", "describe", "end_all", "process_of"]
