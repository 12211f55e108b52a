"""Every technique on every game: who is there, what they won, and the leaderboard that is made of it."""
