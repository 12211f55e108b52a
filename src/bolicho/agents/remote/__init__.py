"""Bots that listen at an http address: any language, any machine."""

from bolicho.agents.technique import Technique

TECHNIQUE = Technique("remote", agents={"remote": "bolicho.agents.remote.agent:Remote"})
