"""Counterfactual regret minimisation, written once for every game: by sampling, and exactly for small games."""
