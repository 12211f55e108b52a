"""Runs of learners without the training harness."""


def learn(learner):
    """Run a learner to its end in memory, without progress bar, checkpoints or files."""
    while learner.done < learner.total:
        learner.step()
