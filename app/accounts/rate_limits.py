"""Rate limits, counted in the database: one limit for all workers and hosts."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from datetime import timedelta
from ipaddress import IPv6Address, ip_address, ip_network
from typing import NamedTuple

from limits import RateLimitItem, RateLimitItemPerMinute
from limits.storage import Storage
from limits.strategies import FixedWindowRateLimiter
from sqlalchemy import case, delete, func, literal, not_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import SQLAlchemyError

from app.accounts.tables import attempts
from app.base.database.engine import Begin
from app.base.database.keys import token_hash

# Storage for the `limits` library in the database: one limit for all workers and hosts that survives restarts.


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


MAX_EXPORTS = RateLimitItemPerMinute(120, 10)
MAX_FORECASTS = RateLimitItemPerMinute(30, 10)
MAX_API_REQUESTS = RateLimitItemPerMinute(600, 1)
SIGN_INS_OF_ADDRESS = RateLimitItemPerMinute(60, 15)
SIGN_INS_OF_ADDRESS_TO_ACCOUNT = RateLimitItemPerMinute(10, 15)
SIGN_INS_TO_ACCOUNT = RateLimitItemPerMinute(100, 60)


class Limit(NamedTuple):
    """A limit, and the key for which requests are counted."""

    item: RateLimitItem
    key: tuple[str, ...]


def sign_in_limits(email: str, address: str) -> tuple[Limit, ...]:
    """Limits per IP address and quarter of an hour: ten attempts for one account, and sixty in total.

    They are counted per address so that nobody can lock a lead out from elsewhere. In addition, an account allows a
    hundred attempts per hour from all addresses.
    """
    network, email = network_of(address), email.strip().lower()
    return (
        sign_in_limit(address),
        Limit(SIGN_INS_OF_ADDRESS_TO_ACCOUNT, ("sign-in", network, email)),
        Limit(SIGN_INS_TO_ACCOUNT, ("sign-in", "anywhere", email)),
    )


def sign_in_limit(address: str) -> Limit:
    """The limit per IP address alone, which also counts sign-ins by OpenID Connect: they name no account at first."""
    return Limit(SIGN_INS_OF_ADDRESS, ("sign-in", network_of(address)))


def arrival_limit(address: str, per_minute: int) -> Limit:
    """Limit on arrivals from one address: enough for a laboratory, too few for guessing IDs."""
    return Limit(RateLimitItemPerMinute(per_minute, 1), ("arrival", network_of(address)))


def export_limit(lead_id: int) -> Limit:
    """Limit on downloads by one lead, each of which reads a whole study."""
    return Limit(MAX_EXPORTS, ("export", str(lead_id)))


def forecast_limit(lead_id: int) -> Limit:
    """Limit on forecasts for one lead, each of which simulates a study for seconds."""
    return Limit(MAX_FORECASTS, ("forecast", str(lead_id)))


def api_limit(address: str) -> Limit:
    """Limit on API requests from one address, whatever their tokens."""
    return Limit(MAX_API_REQUESTS, ("api", network_of(address)))


def count(begin: Begin, limits: Sequence[Limit]) -> int:
    """Count one more request under each limit; returns 0 if all allow it, else the seconds to wait."""
    limiter = _limiter(begin)
    over = [limit for limit in limits if not limiter.hit(limit.item, *limit.key)]
    ends = [limiter.get_window_stats(limit.item, *limit.key).reset_time for limit in over]
    return max(1, math.ceil(max(ends) - time.time())) if ends else 0


def take_back(begin: Begin, limits: Sequence[Limit]) -> None:
    """Uncount a request that should not have been counted, such as a successful sign-in."""
    limiter = _limiter(begin)
    for limit in limits:
        limiter.hit(limit.item, *limit.key, cost=-1)


def network_of(address: str) -> str:
    """The network that counts as one client: providers assign whole IPv6 networks to one customer.

    >>> network_of("192.0.2.7"), network_of("2001:db8:1:2:3:4:5:6"), network_of("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8:1:2::/64', '192.0.2.7')
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    return str(parsed.ipv4_mapped or ip_network((int(parsed), 64), strict=False))


def _limiter(begin: Begin) -> FixedWindowRateLimiter:
    return FixedWindowRateLimiter(Attempts(begin))
