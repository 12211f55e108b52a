"""Agents that serve HTTP requests, in any language on any machine."""

from bolicho.agents.technique import Technique

TECHNIQUE = Technique("remote", agents={"remote": "bolicho.agents.remote.agent:Remote"})
