"""Timeouts for a network that has stopped responding.

Without these limits, a connection whose packets are dropped is noticed after a quarter of an hour by this machine, and
after two hours by the server, which keeps its locks until then. Sockets on this machine ignore them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

# For opening a connection, and for getting one from the pool.
CONNECT_S = 5
# For packets that the other side does not acknowledge; an idle connection is asked after IDLE_S, every INTERVAL_S.
SILENCE_S, IDLE_S, INTERVAL_S = 10, 4, 2
_N_PROBES = (SILENCE_S - IDLE_S) // INTERVAL_S
# Parameters of libpq.
CLIENT_TIMEOUTS = {
    "connect_timeout": CONNECT_S,
    "keepalives_idle": IDLE_S,
    "keepalives_interval": INTERVAL_S,
    "keepalives_count": _N_PROBES,
    "tcp_user_timeout": SILENCE_S * 1000,
}
# Settings of the session, for the side of the server.
SERVER_TIMEOUTS = (
    f"-c tcp_keepalives_idle={IDLE_S} -c tcp_keepalives_interval={INTERVAL_S} -c tcp_keepalives_count={_N_PROBES}"
    f" -c tcp_user_timeout={SILENCE_S}s"
)


def client_timeouts(given: Collection[str]) -> dict[str, int]:
    """The parameters, without those that the address of the database already has."""
    return {name: value for name, value in CLIENT_TIMEOUTS.items() if name not in given}
