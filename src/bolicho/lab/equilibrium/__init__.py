"""Truco near equilibrium: exploitability and strength, how it falls as one learns, how hands are opened."""
