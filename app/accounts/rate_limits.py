"""Rate limits, counted in the database: one limit for all workers and hosts."""

import math
from collections.abc import Sequence
from datetime import timedelta
from ipaddress import IPv6Address, ip_address, ip_network
from typing import NamedTuple

from sqlalchemy import case, func, literal, not_, update
from sqlalchemy.dialects.postgresql import insert

from app.accounts.tables import attempts
from app.base.database.engine import Begin
from app.base.database.keys import token_hash


class Rate(NamedTuple):
    """At most `n` requests in a window of `minutes`, which begins with the first of them."""

    n: int
    minutes: int


class Limit(NamedTuple):
    """A rate, and the key for which requests are counted."""

    rate: Rate
    key: tuple[str, ...]

    @property
    def key_hash(self) -> bytes:
        """What is stored in place of the key."""
        return token_hash("/".join(self.key))


MAX_EXPORTS = Rate(120, 10)
MAX_FORECASTS = Rate(30, 10)
MAX_API_REQUESTS = Rate(600, 1)
SIGN_INS_OF_ADDRESS = Rate(60, 15)
SIGN_INS_OF_ADDRESS_TO_ACCOUNT = Rate(10, 15)
SIGN_INS_TO_ACCOUNT = Rate(100, 60)


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
    return Limit(Rate(per_minute, 1), ("arrival", network_of(address)))


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
    """Count one more request under each limit; returns 0 if all allow it, else the seconds to wait.

    Each count is a transaction of its own, so that a refused request also counts.
    """
    return max([_count(begin, limit) for limit in limits])


def take_back(begin: Begin, limits: Sequence[Limit]) -> None:
    """Uncount a request that should not have been counted, such as a successful sign-in."""
    for limit in limits:
        with begin() as db:
            db.execute(
                update(attempts)
                .values(n_attempts=attempts.c.n_attempts - 1)
                .where(attempts.c.key_hash == limit.key_hash, attempts.c.resets_at > func.now())
            )


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


def _count(begin: Begin, limit: Limit) -> int:
    """Count one more request in the current window; returns 0 if it is allowed, else the seconds to the window's end.

    A window that ends later than one that would begin now was opened by a clock that has been set back since.
    """
    until = func.now() + literal(timedelta(minutes=limit.rate.minutes))
    new = insert(attempts).values(key_hash=limit.key_hash, n_attempts=1, resets_at=until)
    is_over = not_(attempts.c.resets_at.between(func.now(), until))
    counted = new.on_conflict_do_update(
        index_elements=[attempts.c.key_hash],
        set_={
            "n_attempts": case((is_over, 1), else_=attempts.c.n_attempts + 1),
            "resets_at": case((is_over, until), else_=attempts.c.resets_at),
        },
    ).returning(attempts.c.n_attempts, attempts.c.resets_at - func.now())
    with begin() as db:
        n, left = db.execute(counted).one()
    return 0 if n <= limit.rate.n else max(1, math.ceil(left.total_seconds()))
