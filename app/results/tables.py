"""What is computed from a study and kept: registrations, snapshots, the last results, and made files."""

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKey,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
    text,
)

from app.base.database.columns import metadata, study_key, time

# The protocol and the plan at a time, as preregistration.json holds them: the text that was hashed.
registrations = Table(
    "registrations",
    metadata,
    study_key(),
    Column("number", Integer, nullable=False),
    Column("protocol_version", Integer, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("document", Text, nullable=False),
    time("registered_at", now=True),
    PrimaryKeyConstraint("study_id", "number"),
)

SNAPSHOT_TOKEN = text("substr(replace((gen_random_uuid())::text, '-'::text, ''::text), 1, 16)")

# Reports kept under a name. The address remains when the study is deleted, to say so; name and report do not.
snapshots = Table(
    "snapshots",
    metadata,
    Column("token", Text, primary_key=True, server_default=SNAPSHOT_TOKEN),
    Column("study_id", BigInteger, ForeignKey("studies.id", ondelete="SET NULL"), index=True),
    Column("name", Text, nullable=False),
    Column("protocol_version", Integer, nullable=False),
    Column("data_hash", Text, nullable=False),
    # When the ratings were read.
    Column("read_at", DateTime(timezone=True), nullable=False),
    # The compressed text of the report, with its filters.
    Column("report", LargeBinary),
    Column("lead_id", BigInteger, ForeignKey("leads.id", ondelete="SET NULL")),
    time("saved_at", now=True),
    time("deleted_at"),
    CheckConstraint("(deleted_at IS NULL) = (report IS NOT NULL)", name="report"),
)

# The last results of a study, so that any server process can show them at once. They can be computed again.
kept_results = Table(
    "kept_results",
    metadata,
    study_key(),
    # What they are: a report with its filters, or that the last attempt at one was stopped.
    Column("part", Text, nullable=False),
    # The fingerprint of the data and filters of a report; empty for an attempt that was stopped.
    Column("name", Text, nullable=False),
    # Marks of all data, and of what leads decide; see `study_mark`.
    Column("mark", Text, nullable=False),
    Column("decisions", Text, nullable=False),
    Column("n_ratings", BigInteger, nullable=False),
    Column("protocol_version", Integer, nullable=False),
    # Hash of the code that computed them, and the limits that stopped an attempt.
    Column("program", Text, nullable=False),
    # When the ratings were read, or the attempt was stopped.
    Column("read_at", DateTime(timezone=True), nullable=False),
    # The compressed text of the results, or why the attempt was stopped.
    Column("content", LargeBinary, nullable=False),
    PrimaryKeyConstraint("study_id", "part"),
)

# Files that jobs made, in pieces. Neither in the log of the database nor in backups, because they can be made again.
made_files = Table(
    "made_files",
    metadata,
    study_key(),
    # Which file of the study.
    Column("part", Text, nullable=False),
    Column("place", Integer, nullable=False),
    # When its job began, before the data were read.
    Column("begun_at", DateTime(timezone=True), nullable=False),
    Column("drop_at", DateTime(timezone=True), nullable=False),
    Column("state", Text, nullable=False),
    # The name of the file for those who download it.
    Column("name", Text, nullable=False),
    # A piece of the file, or why there is none.
    Column("content", LargeBinary, nullable=False),
    PrimaryKeyConstraint("study_id", "part", "place"),
    CheckConstraint("state IN ('made', 'refused', 'stopped')", name="state"),
    prefixes=["UNLOGGED"],
)
