"""Tables of the database: matches, access tokens and studies."""

import sqlalchemy as sa

FACTS = sa.MetaData()

about = sa.Table("about", FACTS, sa.Column("schema", sa.Integer, primary_key=True))
"""Version of the tables, in one row.  A change below is a new version, and needs a step in `migrations.py`."""

matches = sa.Table(
    "matches",
    FACTS,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("game", sa.String(40), nullable=False),
    sa.Column("rules", sa.Text, nullable=False),  # JSON
    sa.Column("options", sa.Text, nullable=False),  # JSON
    sa.Column("secret", sa.LargeBinary(32), nullable=False),
    sa.Column("made", sa.Float, nullable=False),  # time, in seconds since 1970
    sa.Column("dealt", sa.Float),
    sa.Column("ended", sa.Float, index=True),
    sa.Column("claimed", sa.Integer),  # seat that claimed the game
    sa.Column("result", sa.Text),  # JSON, once ended
    sa.Column("fair_version", sa.Integer, nullable=False, server_default="1"),  # version of the fair-deal protocol
    sa.Column("following", sa.String(16)),  # rematch, once all people agreed to it
)

seats = sa.Table(
    "seats",
    FACTS,
    sa.Column("match", sa.String(16), sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(80), nullable=False),
    sa.Column("agent", sa.String(200)),  # spec; null for a person
    sa.Column("token", sa.LargeBinary(32)),  # SHA-256 of the seat's token
    sa.Column("invite", sa.LargeBinary(32)),  # SHA-256 of the invitation
    sa.Column("expires", sa.Float),  # deadline of the invitation; once all seats are taken, of the nonce
    sa.Column("nonce", sa.LargeBinary(16)),
    sa.Column("nonce_commit", sa.LargeBinary(32)),  # SHA-256 of the nonce, sent before any nonce is known
    sa.Column("seen", sa.Float),  # time of the last sign of life
    sa.Column("here", sa.Boolean, nullable=False),  # connected at that time
    sa.Column("stops", sa.Boolean),  # true: offers to end the match without a winner
    sa.Column("rematch", sa.LargeBinary(32)),  # offers a rematch: SHA-256 of its nonce for it, or empty without one
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
    sa.Column("began", sa.Float, nullable=False),  # start of a server process
    sa.Column("until", sa.Float, nullable=False),  # its last update of this row
)
"""Intervals in which a server process was up; clocks of matches run only then."""

judged = sa.Table(
    "judged",
    FACTS,
    sa.Column("match", sa.String(16), sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("ply", sa.Integer, primary_key=True),
    sa.Column("seat", sa.Integer, nullable=False),
    sa.Column("agent", sa.String(200), nullable=False),  # whose strategy judged
    sa.Column("facts", sa.Text, nullable=False),  # JSON
)
"""Values of decisions in finished matches, computed on request."""

tokens = sa.Table(
    "tokens",
    FACTS,
    sa.Column("name", sa.String(40), primary_key=True),
    sa.Column("digest", sa.LargeBinary(32), nullable=False, unique=True),  # SHA-256 of the token
    sa.Column("scopes", sa.String(80), nullable=False),  # joined by spaces
    sa.Column("made", sa.Float, nullable=False),
)

challenges = sa.Table(
    "challenges",
    FACTS,
    sa.Column("match", sa.String(16), sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("asker", sa.String(40)),  # challenging bot; null: a person
    sa.Column("asked", sa.String(40)),  # challenged bot; null: any
    sa.Column("bot", sa.String(40), index=True),  # bot that has taken the seat
    sa.Column("state", sa.String(12), nullable=False),  # open, accepted, declined, cancelled
    sa.Column("made", sa.Float, nullable=False),
    sa.Column("decided", sa.Float),
    sa.Index("challenges_open", "state", "made"),
)
"""Seats of matches that are reserved for or taken by bots, a row each; a challenge is a match with such seats."""

bots = sa.Table(
    "bots",
    FACTS,
    sa.Column("name", sa.String(40), primary_key=True),
    sa.Column("seen", sa.Float, nullable=False),  # last update while it listened
)

studies = sa.Table(
    "studies",
    FACTS,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("plan", sa.Text, nullable=False),  # TOML, unchanged
    sa.Column("made", sa.Float, nullable=False),
    sa.Column("closed", sa.Float),
    sa.Column("opened", sa.Float),  # null: not open to people yet
)

participants = sa.Table(
    "participants",
    FACTS,
    sa.Column("study", sa.String(16), sa.ForeignKey("studies.id"), primary_key=True),
    sa.Column("code", sa.String(12), primary_key=True),
    sa.Column("digest", sa.LargeBinary(32), nullable=False, unique=True),  # SHA-256 of the participant's token
    sa.Column("row", sa.Integer),  # row of the sequence of opponents; null before consent
    sa.Column("state", sa.String(12), nullable=False),
    sa.Column("made", sa.Float, nullable=False),
    sa.Column("seen", sa.Float, nullable=False),
    sa.Column("scripted", sa.Boolean, nullable=False),  # True for a program
    sa.Column("language", sa.String(2)),
    sa.Column("consent", sa.String(40)),  # version of the accepted consent
    sa.Column("replaced", sa.Boolean, nullable=False),  # lost, and its place given to another participant
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
    sa.Column("measured", sa.Text),  # JSON: what the browser measured on the page
    sa.ForeignKeyConstraint(["study", "code"], ["participants.study", "participants.code"]),
)

decisions = sa.Table(
    "decisions",
    FACTS,
    sa.Column("match", sa.String(16), sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("ply", sa.Integer, primary_key=True),
    sa.Column("seconds", sa.Float, nullable=False),  # from the view on the screen to the choice
)
"""Times of participants' decisions in matches of studies, measured by their browsers."""

study_seats = sa.Table(
    "study_seats",
    FACTS,
    sa.Column("match", sa.String(16), sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("study", sa.String(16), nullable=False),
    sa.Column("code", sa.String(12), nullable=False),
    sa.Column("step", sa.Integer, nullable=False),
    sa.Column("agent", sa.String(200), nullable=False),  # opponent as the plan names it; `person`: a participant
    sa.Column("label", sa.String(40), nullable=False),  # opponent as the participant saw it
    sa.Column("practice", sa.Boolean, nullable=False),
    sa.UniqueConstraint("study", "code", "step"),
    sa.ForeignKeyConstraint(["study", "code"], ["participants.study", "participants.code"]),
)
"""Participants in matches of studies, a row each: two rows if two participants play each other."""

erasures = sa.Table(
    "erasures",
    FACTS,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("study", sa.String(16), nullable=False),
    sa.Column("made", sa.Float, nullable=False),
)
"""Unfinished erasures: the rows are deleted, but case bases or the database's files may still hold them."""
