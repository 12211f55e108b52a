"""Search, written once for every game: playouts, alpha-beta, Monte Carlo trees, sampled worlds."""
