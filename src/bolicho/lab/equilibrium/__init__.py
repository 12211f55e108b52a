"""Study of Truco near equilibrium: exploitability, strength, learning curve and opening strategy."""
