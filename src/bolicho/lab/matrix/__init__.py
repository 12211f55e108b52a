"""Matrix study: all techniques on all games, their results, and the leaderboard."""
