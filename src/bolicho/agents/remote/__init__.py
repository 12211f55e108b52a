"""Agents that serve HTTP requests, in any language on any machine."""

from bolicho.agents.technique import Preset, Technique

TECHNIQUE = Technique("remote", agents={"remote": Preset("bolicho.agents.remote.agent:Remote", elsewhere=True)})
