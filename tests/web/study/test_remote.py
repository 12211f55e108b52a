"""Remote bots as opponents of a study, and forfeits of failing bots."""

from tests.agents.remote.strange import answer, first, listening


def test_remote_bot_plays_in_a_study(study):
    with listening(first) as bot:
        guest = study(opponents=(f"remote(url={bot.url})", "bluffer"), order="fixed").invite()
        guest.go("questions", 1)
        assert bot.asked > 0
    assert "remote" not in "".join(guest.heard) and bot.url not in "".join(guest.heard)


def test_failing_remote_bot_forfeits_and_the_study_continues(study):
    with listening(lambda line, question, ended: line.sendall(answer(b"no", "500 Not today"))) as bot:
        guest = study(opponents=(f"remote(url={bot.url}, seconds=2)", "bluffer"), order="fixed").invite()
        step = guest.go("match", 1)
        guest.go("match", 2)
    told = guest.served.view(step["match"], step["token"])
    assert told["state"] == "over" and told["result"]["winners"] == [0]
