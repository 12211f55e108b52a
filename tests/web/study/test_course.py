"""What a participant does next, over HTTP."""

WAY = ["consent", "instructions", "practice", "before", "match", "questions", "match", "questions", "after", "thanks"]


def test_a_participant_goes_all_the_way(study):
    one = study()
    guest = one.invite()
    seen = []
    for number in range(1, len(WAY) + 1):
        me = guest.me()
        seen.append(me["step"]["name"])
        assert me["step"]["number"] == number and me["step"]["of"] == len(WAY)
        if number < len(WAY):
            guest.go(WAY[number], me["step"].get("place", 0) if WAY[number] == "questions" else 0)
    assert seen == WAY and me["state"] == "finished" and me["step"]["text"]["en"] == "Thank you!"
