"""The database tables.

Rows that belong to a run refer to it and are deleted with it. Names that repeat on every trial
(run, model, suite) are stored once and referred to by number, which keeps rows and their indexes
small. ``trials.seq`` and ``scores.seq`` come from one counter: together they number all records in
the order in which they became durable. Columns beside a ``body`` repeat what SQL needs of it. Text
is stored by the escape of :mod:`benchmaker.store.database.escaping`; see
:class:`~.column_types.EscapedText`.
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
    EscapedText,
    Number,
    key_number_column,
    metadata,
    number_column,
    optional_plain_text_column,
    optional_text_column,
    parent_reference,
    partial_index,
    plain_text_column,
    real_column,
    row_number_column,
    text_column,
)

counters = Table(
    "counters",
    metadata,
    Column("name", EscapedText, primary_key=True),
    number_column("value"),
)

suites = Table(
    "suites",
    metadata,
    row_number_column(),
    text_column("hash", unique=True),
    text_column("name"),
    number_column("cases"),
    optional_text_column("source"),
    text_column("created_at"),
    plain_text_column("header"),
    sqlite_autoincrement=True,
)

suite_cases = Table(
    "suite_cases",
    metadata,
    key_number_column("suite_seq", parent_reference("suites.seq")),
    key_number_column("position"),
    plain_text_column("case_id"),
    plain_text_column("body"),
)

series = Table(
    "series",
    metadata,
    row_number_column(),
    text_column("id", unique=True),
    Column("suite_seq", Number, ForeignKey("suites.seq"), nullable=False),
    number_column("runs"),
    text_column("created_at"),
    text_column("actor"),
    sqlite_autoincrement=True,
)

runs = Table(
    "runs",
    metadata,
    row_number_column(),
    text_column("id", unique=True),
    Column("suite_seq", Number, ForeignKey("suites.seq"), nullable=False, index=True),
    Column("series_seq", Number, ForeignKey("series.seq"), nullable=True, index=True),
    number_column("number"),
    text_column("state"),
    number_column("planned"),
    text_column("started_at"),
    optional_text_column("finished_at"),
    text_column("actor"),
    plain_text_column("body"),
    sqlite_autoincrement=True,
)

run_models = Table(
    "run_models",
    metadata,
    key_number_column("run_seq", parent_reference("runs.seq")),
    key_number_column("rank"),
    text_column("model"),
    UniqueConstraint("run_seq", "model"),
)

trials = Table(
    "trials",
    metadata,
    key_number_column(),
    Column("run_seq", Number, ForeignKey("runs.seq", ondelete="CASCADE"), nullable=False),
    number_column("model_rank"),
    number_column("position"),
    plain_text_column("case_id"),
    plain_text_column("outcome"),
    number_column("score_version"),
    real_column("weight", nullable=False),
    optional_plain_text_column("category"),
    optional_plain_text_column("difficulty"),
    optional_plain_text_column("tags"),
    optional_plain_text_column("case_group"),
    plain_text_column("messages_hash"),
    optional_plain_text_column("error_type"),
    optional_plain_text_column("error"),
    optional_plain_text_column("flags"),
    plain_text_column("finished_at"),
    optional_plain_text_column("conversation"),
    UniqueConstraint("run_seq", "case_id", "model_rank"),
    Index(None, "run_seq", "position", "model_rank"),
)
"""``conversation`` is NULL except for trials with tools that have no completion."""

completions = Table(
    "completions",
    metadata,
    key_number_column("trial_seq", parent_reference("trials.seq")),
    plain_text_column("finish"),
    optional_plain_text_column("model"),
    real_column("latency_s"),
    real_column("cost_usd"),
    number_column("input_tokens", nullable=True),
    number_column("cache_read_tokens", nullable=True),
    number_column("cache_write_5m_tokens", nullable=True),
    number_column("cache_write_1h_tokens", nullable=True),
    number_column("output_tokens", nullable=True),
    number_column("reasoning_tokens", nullable=True),
    optional_plain_text_column("usage_flags"),
    optional_plain_text_column("flags"),
    plain_text_column("text"),
    real_column("first_byte_s"),
    optional_plain_text_column("logprobs"),
    optional_plain_text_column("transcript"),
)
"""``usage_flags`` is NULL without usage, and a list with it. ``logprobs`` and
``transcript`` are NULL without any."""

attempts = Table(
    "attempts",
    metadata,
    key_number_column("trial_seq", parent_reference("trials.seq")),
    key_number_column("number"),
    plain_text_column("status"),
    plain_text_column("started_at"),
    real_column("cost_usd"),
    plain_text_column("body"),
)

scores = Table(
    "scores",
    metadata,
    key_number_column(),
    Column("trial_seq", Number, parent_reference("trials.seq"), nullable=False),
    number_column("version"),
    plain_text_column("created_at"),
    plain_text_column("actor"),
    real_column("score"),
    plain_text_column("scorer"),
    plain_text_column("scorer_version"),
    plain_text_column("profile"),
    optional_plain_text_column("flags"),
    plain_text_column("body"),
    UniqueConstraint("trial_seq", "version"),
)

imported_evaluations = Table(
    "imported_evaluations",
    metadata,
    key_number_column("run_seq", parent_reference("runs.seq")),
    plain_text_column("body"),
)
"""The statements of another tool's file on a whole evaluation: its figures and its settings."""

imported_rows = Table(
    "imported_rows",
    metadata,
    key_number_column("trial_seq", parent_reference("trials.seq")),
    Column("row_key", Number, nullable=False, index=True),
    plain_text_column("scores"),
    plain_text_column("rest"),
)
"""Scores and other fields of trials that were read from another tool's results.

``row_key`` is a digest that identifies the row of the file."""

cached_answers = Table(
    "cached_answers",
    metadata,
    Column("key", Text, primary_key=True),
    plain_text_column("created_at"),
    plain_text_column("body"),
)
"""Answers by a digest of their whole request."""

judgments = Table(
    "judgments",
    metadata,
    key_number_column(),
    Column(
        "run_seq", Number, ForeignKey("runs.seq", ondelete="CASCADE"), nullable=True, index=True
    ),
    Column("key", Text, nullable=False, index=True),
    plain_text_column("judge"),
    plain_text_column("purpose"),
    plain_text_column("case_id"),
    plain_text_column("model"),
    number_column("repeat"),
    plain_text_column("shown_order"),
    plain_text_column("status"),
    real_column("cost_usd"),
    real_column("latency_s"),
    number_column("input_tokens", nullable=True),
    number_column("output_tokens", nullable=True),
    plain_text_column("created_at"),
    plain_text_column("body"),
)
"""Replies of judges by a digest of their whole request, including failures.

``status`` is ``ok``, ``cached`` (another run paid for it), ``unusable`` (no judgment can be read
from the reply) or ``failed`` (no reply). ``run_seq`` is NULL outside any run, as in a calibration.
``seq`` is drawn from the same counter as those of trials.
"""

embeddings = Table(
    "embeddings",
    metadata,
    Column("key", Text, primary_key=True),
    plain_text_column("created_at"),
    plain_text_column("model"),
    Column("body", LargeBinary, nullable=False),
)
"""Embeddings of texts, for all runs, by a digest of endpoint, model, dimensions and text.

``body`` holds the numbers in single precision, little-endian.
"""

calibrations = Table(
    "calibrations",
    metadata,
    row_number_column(),
    text_column("id", unique=True),
    Column("judge", EscapedText, nullable=False, index=True),
    text_column("prompt_hash"),
    text_column("tier"),
    text_column("samples_hash"),
    text_column("created_at"),
    plain_text_column("body"),
    sqlite_autoincrement=True,
)
"""Judgments of samples with known scores; a result is computed from the body alone."""

labels = Table(
    "labels",
    metadata,
    row_number_column(),
    Column("run_seq", Number, ForeignKey("runs.seq", ondelete="CASCADE"), nullable=False),
    text_column("blind_id"),
    text_column("actor"),
    number_column("version"),
    number_column("is_newest"),
    text_column("case_id"),
    text_column("model"),
    text_column("source"),
    real_column("score"),
    text_column("created_at"),
    plain_text_column("body"),
    UniqueConstraint("run_seq", "blind_id", "actor", "version"),
    sqlite_autoincrement=True,
)
"""Labels of answers by people; ``is_newest`` is 1 for a person's latest label of an answer."""

trial_notes = Table(
    "trial_notes",
    metadata,
    row_number_column(),
    Column(
        "run_seq", Number, ForeignKey("runs.seq", ondelete="CASCADE"), nullable=False, index=True
    ),
    text_column("case_id"),
    text_column("model"),
    text_column("author"),
    text_column("created_at"),
    text_column("text"),
    sqlite_autoincrement=True,
)
"""Remarks of people on trials; ``author`` is empty without accounts."""

leases = Table(
    "leases",
    metadata,
    Column("name", EscapedText, primary_key=True),
    number_column("fence"),
    optional_text_column("holder"),
    number_column("pid"),
    text_column("process"),
    text_column("host"),
    real_column("ttl_s", nullable=False),
    real_column("heartbeat", nullable=False),
)
"""``holder`` is NULL once released; the row stays, so that ``fence`` never goes back.

``heartbeat`` is in seconds since 1970. ``process`` distinguishes processes with the same pid.
"""

outbox = Table(
    "outbox",
    metadata,
    row_number_column(),
    text_column("dedupe_key", unique=True),
    text_column("topic"),
    plain_text_column("body"),
    text_column("actor"),
    text_column("created_at"),
    number_column("attempts"),
    optional_text_column("last_error"),
    optional_text_column("delivered_at"),
    Index(None, "delivered_at", "seq"),
    sqlite_autoincrement=True,
)

submissions = Table(
    "submissions",
    metadata,
    row_number_column(),
    text_column("id"),
    number_column("revision"),
    number_column("is_newest"),
    text_column("source_sha256"),
    text_column("session_id"),
    optional_text_column("task_id"),
    text_column("harness"),
    optional_text_column("model"),
    optional_text_column("effort"),
    optional_text_column("started_at"),
    optional_text_column("finished_at"),
    text_column("importer"),
    text_column("importer_version"),
    text_column("created_at"),
    plain_text_column("body"),
    optional_text_column("row_id"),
    UniqueConstraint("id", "revision"),
    Index(None, "is_newest", "started_at"),
    sqlite_autoincrement=True,
)
"""``is_newest`` is 1 for the last revision of an id and 0 for those before it. ``row_id`` is the id
of a row in its own table."""

IS_NEWEST = submissions.c.is_newest + 0 == 1
"""A sum, so that SQLite uses the index of another column, not that of all newest revisions."""


def _sortable(column: str) -> ColumnElement[str]:
    """Return a column as sorted by lists, unknown values first; as in ``submission_pages``."""
    return func.coalesce(submissions.c[column], literal_column("''"))


Index("ix_submissions_by_harness", submissions.c.harness, submissions.c.seq)
Index("ix_submissions_by_model", _sortable("model"), submissions.c.seq)
Index("ix_submissions_by_task_id", _sortable("task_id"), submissions.c.seq)
Index("ix_submissions_by_started_at", _sortable("started_at"), submissions.c.seq)
Index("ix_submissions_by_session_id", submissions.c.session_id, submissions.c.seq)
partial_index(
    "ix_submissions_by_row_id",
    submissions.c.row_id,
    condition=submissions.c.row_id.is_not(None),
)

older_tables = Table(
    "older_tables",
    metadata,
    row_number_column(),
    text_column("importer"),
    text_column("source_sha256"),
    UniqueConstraint("importer", "source_sha256"),
    sqlite_autoincrement=True,
)
"""Tables whose rows were stored when rows were identified by the content of their file."""

traces = Table(
    "traces",
    metadata,
    key_number_column("submission_seq", parent_reference("submissions.seq")),
    Column("part", Text, primary_key=True),
    key_number_column("number"),
    Column("body", LargeBinary, nullable=False),
)
"""Compressed chunks of the newest revision: its events, requests and keys."""
