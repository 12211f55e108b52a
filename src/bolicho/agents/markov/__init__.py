"""The Markov Truco agent of document 001, as it was and with its own future work as options."""
