"""Fixtures: studies on the shared Truco server."""

import pytest

from bolicho.store import studies
from bolicho.store.database import open_database
from bolicho.store.tokens import new_token
from tests.web.study.plans import Guest, plan


class Study:
    """A study on a server, and its participants."""

    def __init__(self, served, text):
        self.served, self.text = served, text
        self.engine = open_database(served.database)
        with self.engine.begin() as connection:
            self.id = studies.add_study(connection, text, opened=True)

    def invite(self, scripted=False):
        with self.engine.begin() as connection:
            self.code, token = studies.add_participant(connection, self.id, scripted)
        return Guest(self.served, self.id, token)

    def people(self):
        with self.engine.connect() as connection:
            return studies.read_participants(connection, self.id)


@pytest.fixture
def study(truco):
    """Make studies, for instance `study(target=3)`."""
    made = []

    def make(**options):
        made.append(Study(truco, plan(**options)))
        return made[-1]

    yield make
    for one in made:
        one.engine.dispose()


@pytest.fixture(scope="session")
def researcher(truco):
    """Return a token with the scope for research."""
    with open_database(truco.database).begin() as connection:
        return new_token(connection, "researcher", ["research"])
