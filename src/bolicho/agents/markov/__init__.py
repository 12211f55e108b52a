"""The Markov Truco agent of Rossato 2020, as it was and with its own future work as options."""
