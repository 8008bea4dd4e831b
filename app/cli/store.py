"""Provide commands with the database: found or started, and upgraded to this version."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from app.base.database.address import DatabaseAddressError, DatabaseUnreachableError, reach, why_unreachable
from app.base.database.engine import database_url, make_engine
from app.base.database.migrate import UnknownSchemaError, upgrade
from app.base.database.outages import outage_in_words
from app.base.postgres import EmbeddedError
from app.cli.output import WRONG_CALL, fail
from app.settings import folder, settings
from app.studies.studies import StudyRow, get_study

CHECK_ADDRESS = "Check DATABASE_URL, and check that the server is running."


@contextmanager
def store() -> Iterator[Engine]:
    """Yield an engine on the upgraded database of the settings; dispose of it at the end."""
    with reached_database() as engine:
        try:
            upgrade(engine, folder("migrations"))
        except UnknownSchemaError as error:
            fail(str(error))
        except DBAPIError as error:
            reason = str(error.orig).strip().splitlines()[0]
            fail(f"The database could not be upgraded to this version of Attune: {reason}")
        try:
            yield engine
        except DBAPIError as error:
            if error.connection_invalidated:
                fail(why_unreachable(engine.url, error))
            if (words := outage_in_words(error)) is None:
                raise
            fail(f"Stopped, because {words}. Run the same command again once that has changed.")


@contextmanager
def reached_database() -> Iterator[Engine]:
    """Yield an engine on the database of the settings once it responds; dispose of it at the end."""
    engine = make_engine(named_database(), n_connections=2)
    try:
        reach(engine)
    except DatabaseUnreachableError as error:
        engine.dispose()
        fail(f"{error} {CHECK_ADDRESS}" if settings().database_url else str(error))
    try:
        yield engine
    finally:
        engine.dispose()


def named_database() -> str:
    """Return the address of the database of the settings; start the embedded database if necessary."""
    try:
        return database_url(settings().database_url, settings().data_dir)
    except DatabaseAddressError as error:
        fail(str(error), WRONG_CALL)
    except EmbeddedError as error:
        fail(str(error))


def stored_study(db: Connection, slug: str) -> StudyRow:
    """Return the stored study with this slug; fail if there is none."""
    return get_study(db, slug) or no_such_study(slug)


def no_such_study(slug: str) -> NoReturn:
    """Fail because no stored study has this slug."""
    fail(f"No stored study has the slug {slug}. To see all of them: attune study list", WRONG_CALL)
