"""Storage for the `limits` library in the database: one limit for all workers and hosts that survives restarts."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import TYPE_CHECKING

from limits.storage import Storage
from sqlalchemy import case, delete, func, literal, not_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import SQLAlchemyError

from app.storage.database.token_hash import token_hash
from app.storage.tables import attempts

if TYPE_CHECKING:
    from app.storage.database.engine import Begin


class Attempts(Storage):
    """A storage for fixed windows. Each call is a separate transaction, so that a refused request also counts."""

    STORAGE_SCHEME = None

    def __init__(self, begin: Begin) -> None:
        """Use the database that `begin` opens."""
        super().__init__()
        self.begin = begin

    @property
    def base_exceptions(self) -> type[Exception]:
        """The exceptions that the database raises."""
        return SQLAlchemyError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count an attempt in the current window; a window lasts `expiry` seconds from its first attempt.

        A window that ends later than one that would begin now was opened by a clock that has been set back since.
        """
        until = func.now() + literal(timedelta(seconds=expiry))
        new = insert(attempts).values(key_hash=token_hash(key), n_attempts=amount, resets_at=until)
        is_over = not_(attempts.c.resets_at.between(func.now(), until))
        counted = new.on_conflict_do_update(
            index_elements=[attempts.c.key_hash],
            set_={
                "n_attempts": case((is_over, amount), else_=attempts.c.n_attempts + amount),
                "resets_at": case((is_over, until), else_=attempts.c.resets_at),
            },
        )
        with self.begin() as db:
            return int(db.execute(counted.returning(attempts.c.n_attempts)).scalar_one())

    def get(self, key: str) -> int:
        """Number of attempts in the current window."""
        statement = select(attempts.c.n_attempts).where(attempts.c.key_hash == token_hash(key))
        with self.begin() as db:
            return int(db.execute(statement.where(attempts.c.resets_at > func.now())).scalar() or 0)

    def get_expiry(self, key: str) -> float:
        """When the current window ends, in seconds since 1970; now if there is none."""
        statement = select(attempts.c.resets_at).where(attempts.c.key_hash == token_hash(key))
        with self.begin() as db:
            resets_at = db.execute(statement).scalar()
        return resets_at.timestamp() if resets_at else time.time()

    def check(self) -> bool:
        """Always true: the database is checked elsewhere."""
        return True

    def reset(self) -> int | None:
        """Delete all attempts."""
        with self.begin() as db:
            return db.execute(delete(attempts)).rowcount

    def clear(self, key: str) -> None:
        """Delete the attempts under one key."""
        with self.begin() as db:
            db.execute(delete(attempts).where(attempts.c.key_hash == token_hash(key)))
