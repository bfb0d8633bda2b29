"""The tables.

Rows that belong to a run hang below it and go with it. Names that repeat on every trial (run,
model, suite) are held once and referred to by number, which keeps rows and their indexes small.
``trials.seq`` and ``scores.seq`` come from one counter: together they number everything recorded
in the order in which it became durable. Columns beside a ``body`` repeat what SQL needs of it.
Text that people or models wrote is stored by the escape of
:mod:`benchmaker.store.database.escaping`.
"""

from sqlalchemy import (
    Column,
    ColumnElement,
    ForeignKey,
    Index,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    func,
    literal_column,
)

from benchmaker.store.database.column_types import (
    Number,
    below,
    given_number,
    maybe_text,
    metadata,
    number,
    own_number,
    real,
    text,
)

counters = Table(
    "counters",
    metadata,
    Column("name", Text, primary_key=True),
    number("value"),
)

suites = Table(
    "suites",
    metadata,
    own_number(),
    text("hash", unique=True),
    text("name"),
    number("cases"),
    maybe_text("source"),
    text("created_at"),
    text("header"),
    sqlite_autoincrement=True,
)

suite_cases = Table(
    "suite_cases",
    metadata,
    given_number("suite_seq", below("suites.seq")),
    given_number("position"),
    text("case_id"),
    text("body"),
)

series = Table(
    "series",
    metadata,
    own_number(),
    text("id", unique=True),
    Column("suite_seq", Number, ForeignKey("suites.seq"), nullable=False),
    number("runs"),
    text("created_at"),
    text("actor"),
    sqlite_autoincrement=True,
)

runs = Table(
    "runs",
    metadata,
    own_number(),
    text("id", unique=True),
    Column("suite_seq", Number, ForeignKey("suites.seq"), nullable=False, index=True),
    Column("series_seq", Number, ForeignKey("series.seq"), nullable=True, index=True),
    number("number"),
    text("state"),
    number("planned"),
    text("started_at"),
    maybe_text("finished_at"),
    text("actor"),
    text("body"),
    sqlite_autoincrement=True,
)

run_models = Table(
    "run_models",
    metadata,
    given_number("run_seq", below("runs.seq")),
    given_number("rank"),
    text("model"),
    UniqueConstraint("run_seq", "model"),
)

trials = Table(
    "trials",
    metadata,
    given_number(),
    Column("run_seq", Number, ForeignKey("runs.seq", ondelete="CASCADE"), nullable=False),
    number("model_rank"),
    number("position"),
    text("case_id"),
    text("outcome"),
    number("score_version"),
    real("weight", nullable=False),
    maybe_text("category"),
    maybe_text("difficulty"),
    maybe_text("tags"),
    maybe_text("case_group"),
    text("messages_hash"),
    maybe_text("error_type"),
    maybe_text("error"),
    maybe_text("flags"),
    text("finished_at"),
    UniqueConstraint("run_seq", "case_id", "model_rank"),
    Index(None, "run_seq", "position", "model_rank"),
)

completions = Table(
    "completions",
    metadata,
    given_number("trial_seq", below("trials.seq")),
    text("finish"),
    maybe_text("model"),
    real("latency_s"),
    real("cost_usd"),
    number("input_tokens", nullable=True),
    number("cache_read_tokens", nullable=True),
    number("cache_write_5m_tokens", nullable=True),
    number("cache_write_1h_tokens", nullable=True),
    number("output_tokens", nullable=True),
    number("reasoning_tokens", nullable=True),
    maybe_text("usage_flags"),
    maybe_text("flags"),
    text("text"),
    real("first_byte_s"),
)
"""``usage_flags`` is NULL where there is no usage at all, and a list where there is one."""

attempts = Table(
    "attempts",
    metadata,
    given_number("trial_seq", below("trials.seq")),
    given_number("number"),
    text("status"),
    text("started_at"),
    real("cost_usd"),
    text("body"),
)

scores = Table(
    "scores",
    metadata,
    given_number(),
    Column("trial_seq", Number, below("trials.seq"), nullable=False),
    number("version"),
    text("created_at"),
    text("actor"),
    real("score"),
    text("scorer"),
    text("scorer_version"),
    text("profile"),
    maybe_text("flags"),
    text("body"),
    UniqueConstraint("trial_seq", "version"),
)

cached_answers = Table(
    "cached_answers",
    metadata,
    Column("key", Text, primary_key=True),
    text("created_at"),
    text("body"),
)
"""Answers by a digest of everything that was sent for them."""

judgments = Table(
    "judgments",
    metadata,
    given_number(),
    Column(
        "run_seq", Number, ForeignKey("runs.seq", ondelete="CASCADE"), nullable=True, index=True
    ),
    Column("key", Text, nullable=False, index=True),
    text("judge"),
    text("purpose"),
    text("case_id"),
    text("model"),
    number("repeat"),
    text("shown_order"),
    text("status"),
    real("cost_usd"),
    real("latency_s"),
    number("input_tokens", nullable=True),
    number("output_tokens", nullable=True),
    text("created_at"),
    text("body"),
)
"""Replies of judges by a digest of everything that was sent for them, failures among them.

``status`` is ``ok``, ``cached`` (another run paid for it), ``unusable`` (no judgment can be read
from the reply) or ``failed`` (no reply). ``run_seq`` is NULL outside any run, as in a calibration.
``seq`` is drawn from the same counter as those of trials.
"""

calibrations = Table(
    "calibrations",
    metadata,
    own_number(),
    text("id", unique=True),
    Column("judge", Text, nullable=False, index=True),
    text("prompt_hash"),
    text("tier"),
    text("samples_hash"),
    text("created_at"),
    text("body"),
    sqlite_autoincrement=True,
)
"""What judges gave to samples of known worth; a result is computed from the body alone."""

labels = Table(
    "labels",
    metadata,
    own_number(),
    Column("run_seq", Number, ForeignKey("runs.seq", ondelete="CASCADE"), nullable=False),
    text("blind_id"),
    text("actor"),
    number("version"),
    number("is_newest"),
    text("case_id"),
    text("model"),
    text("source"),
    real("score"),
    text("created_at"),
    text("body"),
    UniqueConstraint("run_seq", "blind_id", "actor", "version"),
    sqlite_autoincrement=True,
)
"""What people say answers are worth; ``is_newest`` is 1 for a person's last word on an answer."""

leases = Table(
    "leases",
    metadata,
    Column("name", Text, primary_key=True),
    number("fence"),
    maybe_text("holder"),
    number("pid"),
    text("process"),
    text("host"),
    real("ttl_s", nullable=False),
    real("heartbeat", nullable=False),
)
"""``holder`` is NULL once released; the row stays, so that ``fence`` never goes back.

``heartbeat`` is in seconds since 1970. ``process`` tells two processes of the same pid apart.
"""

outbox = Table(
    "outbox",
    metadata,
    own_number(),
    text("dedupe_key", unique=True),
    text("topic"),
    text("body"),
    text("actor"),
    text("created_at"),
    number("attempts"),
    maybe_text("last_error"),
    maybe_text("delivered_at"),
    Index(None, "delivered_at", "seq"),
    sqlite_autoincrement=True,
)

submissions = Table(
    "submissions",
    metadata,
    own_number(),
    text("id"),
    number("revision"),
    number("is_newest"),
    text("source_sha256"),
    text("session_id"),
    maybe_text("task_id"),
    text("harness"),
    maybe_text("model"),
    maybe_text("effort"),
    maybe_text("started_at"),
    maybe_text("finished_at"),
    text("importer"),
    text("importer_version"),
    text("created_at"),
    text("body"),
    maybe_text("row_id"),
    UniqueConstraint("id", "revision"),
    Index(None, "is_newest", "started_at"),
    sqlite_autoincrement=True,
)
"""``is_newest`` is 1 for the last revision of an id and 0 for those before it. ``row_id`` is the id
of a row in its own table."""

IS_NEWEST = submissions.c.is_newest + 0 == 1
"""A sum, so that SQLite uses the index of another column, not that of all newest revisions."""


def _known(column: str) -> ColumnElement[str]:
    """A column as lists sort it, what is not known first; spelt as in ``submission_pages``."""
    return func.coalesce(submissions.c[column], literal_column("''"))


Index("ix_submissions_by_harness", submissions.c.harness, submissions.c.seq)
Index("ix_submissions_by_model", _known("model"), submissions.c.seq)
Index("ix_submissions_by_task_id", _known("task_id"), submissions.c.seq)
Index("ix_submissions_by_started_at", _known("started_at"), submissions.c.seq)
Index("ix_submissions_by_session_id", submissions.c.session_id, submissions.c.seq)
Index(
    "ix_submissions_by_row_id",
    submissions.c.row_id,
    sqlite_where=submissions.c.row_id.is_not(None),
    postgresql_where=submissions.c.row_id.is_not(None),
)

older_tables = Table(
    "older_tables",
    metadata,
    own_number(),
    text("importer"),
    text("source_sha256"),
    UniqueConstraint("importer", "source_sha256"),
    sqlite_autoincrement=True,
)
"""Tables whose rows were stored when rows were identified by the content of their file."""

traces = Table(
    "traces",
    metadata,
    given_number("submission_seq", below("submissions.seq")),
    Column("part", Text, primary_key=True),
    given_number("number"),
    Column("body", LargeBinary, nullable=False),
)
"""Compressed chunks of the newest revision: its events, requests and keys."""
