"""Studies of Rossato 2020: a Markov agent at Truco."""
