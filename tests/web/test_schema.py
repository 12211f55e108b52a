"""Fuzzing of the server with requests generated from its OpenAPI description."""

import json

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.web.bots.playing import token_for

EXAMPLES = 25  # of each operation


def check(served, operation, matches, tokens):
    """Send generated requests to an operation, with real and unknown matches, with and without tokens."""

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(), real=st.sampled_from([None, *matches]), token=st.sampled_from([None, *tokens]))
    def ask(case, real, token):
        if real and "number" in (case.path_parameters or {}):
            case.path_parameters["number"] = real
        if "wait" in (case.query or {}):
            case.query["wait"] = 0
        headers = {"Authorization": f"Bearer {token}"} if token else None
        answer = case.call(headers=headers, timeout=40)
        assert answer.status_code < 500, (case.as_curl_command(), answer.text)
        if answer.status_code >= 400:
            assert json.loads(answer.content)["says"][0].startswith(("server.", "truco."))

    ask()


def test_no_generated_request_is_a_server_error_and_every_refusal_has_a_reason(truco):
    match, token = truco.make()
    bot = token_for(truco, "schema")
    challenge = truco.post("/api/challenges", {"game": "truco"}, bot).json()["match"]
    schema = schemathesis.openapi.from_url(truco.base + "/openapi.json")
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) >= 18
    for operation in operations:
        check(truco, operation, [match, challenge], [token, bot])
    assert truco.view(match, token)["state"] in ("playing", "over")
