"""Texts of the leaderboard."""

INTRODUCTION = (
    "Every technique on every game: rules, Monte Carlo trees, sampled worlds, search that infers, Sarsa, imitation, "
    "Q-learning, policy "
    "gradient, case-based reasoning, regret minimisation. One contract for games and one for players, so for the first "
    "time they can be compared. This page is written by"
)

HOW = (
    "Every two agents of a game sat at one table in {least} games or more, every deal being played once in every "
    "seat. Ratings are Bradley and Terry's on Elo's scale, 1500 is the average of the agents of a game: they compare "
    "within a game, never between games. Intervals are 95%, over deals. Searches have limits of a few milliseconds a "
    "decision (in Truco one or two, since a match has a hundred decisions); with more time they play better "
    "([search](search.md)). What a decision took is measured in the same run, on cores that others use too."
)

PUT_THERE = (
    "What it found stands in [`matrix.json`](../src/bolicho/lab/matrix/matrix.json). "
    "`python -c \"from bolicho.lab.matrix.leaderboard import ship; ship('reports/matrix-full')\"` puts that, "
    "this page, the picture and the table in the README in their places."
)

PICTURE = "![Ratings by technique and game](images/matrix.png)\n\nColours go from random play to the best of a game."

LEARNED = (
    "An artifact says how it was made: the command gives the same bytes. Processor time stands in the curve beside it, "
    "where it was noted; artifacts of earlier versions have none."
)
