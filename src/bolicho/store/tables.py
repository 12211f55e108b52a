"""The tables of the database, all in one place: what a server keeps of matches, of those who may ask for more,
and of studies with people."""

import sqlalchemy as sa

FACTS = sa.MetaData()

about = sa.Table("about", FACTS, sa.Column("schema", sa.Integer, primary_key=True))
"""The version of the tables: one row.  A change below is a new version, and needs a step in `migrations.py`."""

matches = sa.Table(
    "matches",
    FACTS,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("game", sa.String(40), nullable=False),
    sa.Column("rules", sa.Text, nullable=False),  # JSON
    sa.Column("options", sa.Text, nullable=False),  # JSON
    sa.Column("secret", sa.LargeBinary(32), nullable=False),
    sa.Column("made", sa.Float, nullable=False),  # when, in seconds since 1970
    sa.Column("dealt", sa.Float),
    sa.Column("ended", sa.Float, index=True),
    sa.Column("claimed", sa.Integer),  # by the seat that claimed the game
    sa.Column("result", sa.Text),  # JSON, once ended
    sa.Column("fair_version", sa.Integer, nullable=False, server_default="1"),  # of the protocol of fair deals
)

seats = sa.Table(
    "seats",
    FACTS,
    sa.Column("match", sa.String(16), sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(80), nullable=False),
    sa.Column("agent", sa.String(200)),  # who plays, where it is no person
    sa.Column("token", sa.LargeBinary(32)),  # SHA-256 of what opens the seat
    sa.Column("invite", sa.LargeBinary(32)),  # SHA-256 of what lets somebody sit down
    sa.Column("expires", sa.Float),  # the end of the invitation; once all seats are taken, of the wait for the nonce
    sa.Column("nonce", sa.LargeBinary(16)),
    sa.Column("nonce_commit", sa.LargeBinary(32)),  # SHA-256 of the nonce, sent before any nonce is known
    sa.Column("seen", sa.Float),  # when who sits there was last heard of ...
    sa.Column("here", sa.Boolean, nullable=False),  # ... and had not left
)

moves = sa.Table(
    "moves",
    FACTS,
    sa.Column("match", sa.String(16), sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("ply", sa.Integer, primary_key=True),
    sa.Column("seat", sa.Integer, nullable=False),
    sa.Column("action", sa.Integer, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)

uptime = sa.Table(
    "uptime",
    FACTS,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("began", sa.Float, nullable=False),  # when a server process came up ...
    sa.Column("until", sa.Float, nullable=False),  # ... and when it last said that it was
)
"""Intervals in which a server process was up: clocks of matches run only then."""

judged = sa.Table(
    "judged",
    FACTS,
    sa.Column("match", sa.String(16), sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("ply", sa.Integer, primary_key=True),
    sa.Column("seat", sa.Integer, nullable=False),
    sa.Column("agent", sa.String(200), nullable=False),  # whose strategy judges
    sa.Column("facts", sa.Text, nullable=False),  # JSON
)
"""What decisions of matches that are over were worth, once somebody has asked."""

tokens = sa.Table(
    "tokens",
    FACTS,
    sa.Column("name", sa.String(40), primary_key=True),
    sa.Column("digest", sa.LargeBinary(32), nullable=False, unique=True),  # SHA-256 of what its holder keeps
    sa.Column("scopes", sa.String(80), nullable=False),  # joined by spaces
    sa.Column("made", sa.Float, nullable=False),
)

challenges = sa.Table(
    "challenges",
    FACTS,
    sa.Column("match", sa.String(16), sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("asker", sa.String(40)),  # the bot that challenges; null: a person
    sa.Column("asked", sa.String(40)),  # the bot that the seat is kept for; null: any
    sa.Column("bot", sa.String(40), index=True),  # the bot that sits there
    sa.Column("state", sa.String(12), nullable=False),  # open, accepted, declined, cancelled
    sa.Column("made", sa.Float, nullable=False),
    sa.Column("decided", sa.Float),
    sa.Index("challenges_open", "state", "made"),
)
"""A challenge is a match with seats that are kept for bots: a row for each, and for each that a bot has."""

bots = sa.Table(
    "bots",
    FACTS,
    sa.Column("name", sa.String(40), primary_key=True),
    sa.Column("seen", sa.Float, nullable=False),  # when it last listened to what comes
)

studies = sa.Table(
    "studies",
    FACTS,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("plan", sa.Text, nullable=False),  # TOML, as it was given
    sa.Column("made", sa.Float, nullable=False),
    sa.Column("closed", sa.Float),
)

participants = sa.Table(
    "participants",
    FACTS,
    sa.Column("study", sa.String(16), sa.ForeignKey("studies.id"), primary_key=True),
    sa.Column("code", sa.String(12), primary_key=True),
    sa.Column("digest", sa.LargeBinary(32), nullable=False, unique=True),  # SHA-256 of what the participant keeps
    sa.Column("row", sa.Integer),  # which sequence of opponents; none before consent
    sa.Column("state", sa.String(12), nullable=False),
    sa.Column("made", sa.Float, nullable=False),
    sa.Column("seen", sa.Float, nullable=False),
    sa.Column("scripted", sa.Boolean, nullable=False),  # a program, not a person
    sa.Column("language", sa.String(2)),
    sa.Column("consent", sa.String(40)),  # the version that was agreed to
    sa.Column("replaced", sa.Boolean, nullable=False),  # was lost, and the place given to somebody else
)

steps = sa.Table(
    "steps",
    FACTS,
    sa.Column("study", sa.String(16), primary_key=True),
    sa.Column("code", sa.String(12), primary_key=True),
    sa.Column("step", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(40), nullable=False),
    sa.Column("shown", sa.Float, nullable=False),
    sa.Column("done", sa.Float),
    sa.Column("answers", sa.Text),  # JSON
    sa.ForeignKeyConstraint(["study", "code"], ["participants.study", "participants.code"]),
)

study_seats = sa.Table(
    "study_seats",
    FACTS,
    sa.Column("match", sa.String(16), sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("study", sa.String(16), nullable=False),
    sa.Column("code", sa.String(12), nullable=False),
    sa.Column("step", sa.Integer, nullable=False),
    sa.Column("agent", sa.String(200), nullable=False),  # the opponent as the plan names it; `person`: a participant
    sa.Column("label", sa.String(40), nullable=False),  # the opponent as the participant knew it
    sa.Column("practice", sa.Boolean, nullable=False),
    sa.UniqueConstraint("study", "code", "step"),
    sa.ForeignKeyConstraint(["study", "code"], ["participants.study", "participants.code"]),
)
"""The participants at the matches of studies: a row a participant, two where two participants play each other."""

erasures = sa.Table(
    "erasures",
    FACTS,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("study", sa.String(16), nullable=False),
    sa.Column("made", sa.Float, nullable=False),
)
"""Deletions that are not finished: the rows are gone, but case bases or the database's files may still hold them."""
