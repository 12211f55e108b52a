"""Refusal of text that is not Unicode."""

import pytest
from starlette.testclient import TestClient

from bolicho.errors import BadInput
from bolicho.store import studies, tokens
from bolicho.store.database import open_database
from bolicho.web.app import make_app
from bolicho.web.app_state import Settings
from bolicho.web.workers import AgentPool
from tests.web.study.plans import plan

LONE = "\\ud800"  # as JSON spells it
ME = '{"who": "me", "name": "Ana"}'


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """A server in this process, with a study, and the token of a participant."""
    folder = tmp_path_factory.mktemp("unicode")
    engine = open_database(str(folder / "matches.db"))
    settings = Settings(str(folder / "matches.db"), games=("truco",), runs=str(folder), reports=str(folder))
    with TestClient(make_app(settings, AgentPool(["truco"]), engine), raise_server_exceptions=False) as client:
        with engine.begin() as connection:
            client.study = studies.add_study(connection, plan(), opened=True)
            _, token = studies.add_participant(connection, client.study)
        client.headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        yield client
    engine.dispose()


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/studies/STUDY/me", '{"step": 1, "answers": {"remarks": "LONE"}}'),
        ("/api/studies/STUDY/me", '{"step": 1, "answers": {"LONE": "a"}}'),
        ("/api/studies/STUDY/me", '{"step": 1, "LONE": 1}'),
        ("/api/studies/STUDY/enter", '{"room": "LONE", "language": "en"}'),
        ("/api/studies/STUDY/enter", '{"room": "a", "language": "LONE"}'),
        ("/api/matches", '{"game": "truco", "seats": [{"who": "me", "name": "LONE"}, {"who": "open"}]}'),
        ("/api/matches", f'{{"game": "truco", "seats": [{ME}, {{"who": "bot", "bot": "LONE"}}]}}'),
        ("/api/matches", f'{{"game": "truco", "seats": [{ME}, {{"who": "agent", "agent": "LONE"}}]}}'),
        ("/api/matches", f'{{"game": "LONE", "seats": [{ME}]}}'),
        ("/api/matches", f'{{"game": "truco", "rules": {{"LONE": 1}}, "seats": [{ME}]}}'),
        ("/api/matches", f'{{"game": "truco", "rules": {{"target": "LONE"}}, "seats": [{ME}]}}'),
        ("/api/matches/abc/sit", '{"invite": "LONE", "name": "Ana"}'),
        ("/api/matches/abc/sit", '{"invite": "a", "name": "LONE"}'),
        ("/api/matches/abc/moves", '{"ply": 0, "action": "LONE"}'),
        ("/api/matches/abc/hint", '{"agent": "LONE"}'),
        ("/api/challenges", '{"game": "truco", "to": "LONE"}'),
    ],
)
@pytest.mark.parametrize("lone", [LONE.encode(), b"\xed\xa0\x80"], ids=["escaped", "raw"])
def test_lone_surrogate_is_refused_wherever_text_is_accepted(client, path, body, lone):
    answer = client.post(path.replace("STUDY", client.study), content=body.encode().replace(b"LONE", lone))
    assert answer.status_code == 422, answer.text
    assert "must be Unicode without lone surrogates" in answer.json()["says"][1]["problem"]


@pytest.mark.parametrize("body", [b"\xff\xfe", b"[" * 900 + b"]" * 900, b'{"step": 1, "answers": ' + b"[" * 900])
def test_malformed_body_is_refused(client, body):
    assert client.post(f"/api/studies/{client.study}/me", content=body).status_code in (400, 422)


def test_command_line_name_with_a_lone_surrogate_is_unknown(tmp_path):
    engine = open_database(str(tmp_path / "matches.db"))
    with engine.begin() as connection:
        with pytest.raises(BadInput, match="there is no study"):
            studies.named_study(connection, "\udcff")
        with pytest.raises(BadInput, match="there is no token for"):
            tokens.revoke(connection, "\udcff")
    engine.dispose()
