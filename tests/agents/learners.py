"""Learners without the harness."""


def learn(learner):
    """Let a learner learn to the end in memory: nothing is shown, kept or written."""
    while learner.done < learner.total:
        learner.step()
