"""Agents that learned: nets that imitate, and nets that value actions."""
