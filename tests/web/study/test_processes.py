"""Studies at several processes on one database."""

import asyncio
from collections import Counter
from functools import partial

import pytest

from bolicho.store import studies
from bolicho.store.database import open_database, scrub
from bolicho.web import requests
from bolicho.web.refusal import Refusal
from bolicho.web.study import erasure, participation
from tests.web.study.plans import plan
from tests.web.test_transactions import two


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    return str(tmp_path / "matches.db") if request.param == "sqlite" else request.getfixturevalue("postgresql")


def begin(url, people, **options):
    """Make a study with participants, and return (its id, their tokens)."""
    engine = open_database(url)
    with engine.begin() as connection:
        study = studies.add_study(connection, plan(**options), opened=True)
        tokens = [studies.add_participant(connection, study)[1] for _ in range(people)]
    engine.dispose()
    return study, tokens


def people(url, study):
    engine = open_database(url)
    with engine.connect() as connection:
        found = studies.read_participants(connection, study)
    engine.dispose()
    return found


def agree(study, token):
    return partial(participation.answer, study=study, token=token, number=1, answers={"agree": True})


def test_places_are_assigned_once_and_evenly(url):
    study, tokens = begin(url, 14, opponents=("cautious", "bluffer", "balanced", "novice"), target=8)

    async def work(one, two):
        asked = [
            transactions.ask(agree(study, token)) for transactions, token in zip([one, two] * 7, tokens, strict=True)
        ]
        return await asyncio.gather(*asked, return_exceptions=True)

    done = two(url, work)
    refused = [answer for answer in done if isinstance(answer, Refusal)]
    assert [refusal.says.key for refusal in refused] == ["server.study.full"] * 6
    assert Counter(one.row for one in people(url, study) if one.state == "consented") == dict.fromkeys(range(4), 2)


def test_concurrent_answers_at_two_processes_count_once(url):
    study, [token] = begin(url, 1)

    async def work(one, two):
        for number, answers in [(1, {"agree": True}), (2, {})]:
            ask = partial(participation.answer, study=study, token=token, number=number, answers=answers)
            standing = await asyncio.gather(*[transactions.ask(ask) for transactions in (one, two) for _ in range(4)])
            assert {me["step"]["number"] for me in standing} == {number + 1}
        assert len({me["step"]["match"] for me in standing}) == 1  # one of them made the match

    two(url, work)


def test_withdrawal_at_one_process_takes_effect_at_the_other(url):
    study, [token] = begin(url, 1)

    async def work(one, two):
        for number, answers in [(1, {"agree": True}), (2, {})]:
            ask = partial(participation.answer, study=study, token=token, number=number, answers=answers)
            step = (await one.ask(ask))["step"]
        look = partial(requests.read_match, number=step["match"], token=step["token"])
        await two.ask(look)
        assert await one.ask(partial(participation.withdraw, study=study, token=token)) == [step["match"]]
        for transactions in (one, two):
            with pytest.raises(Refusal) as gone:
                await transactions.ask(look)
            assert gone.value.status == 404
        await two.ask(partial(requests.again, numbers=[step["match"]]))  # the notification of the first
        await two.ask(partial(requests.seen, heard={(step["match"], 0): (1.0, True)}))

    two(url, work)
    engine = open_database(url)
    assert scrub(engine) and erasure.finish(engine) == []
    engine.dispose()
    assert [one.state for one in people(url, study)] == ["withdrawn"]
