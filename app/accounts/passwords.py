"""Passwords: what is refused, how they are hashed, and whether one is right."""

import hashlib
import os
import re
import secrets
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import BinaryIO

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Connection

from app.accounts import leads
from app.accounts.leads import Lead

# Passwords known from data breaches: a lookup in a sorted file of their SHA-1 hashes, without the network.
#
# The file is the one that Have I Been Pwned publishes, ordered by hash: a hash and a count per line. It has a billion
# lines, so it is searched in place.


@dataclass
class BreachedPasswords:
    """The passwords in a file; none without a file."""

    file: Path | None = None

    def __contains__(self, password: str) -> bool:
        """Whether the file has the hash of this password."""
        if self.file is None:
            return False
        wanted = hashlib.sha1(password.encode(), usedforsecurity=False).hexdigest().upper().encode()
        with self.file.open("rb") as lines:
            return _first_from(lines, wanted).startswith(wanted)


def _first_from(lines: BinaryIO, wanted: bytes) -> bytes:
    """The first line that is not below `wanted`, by binary search over positions in the file."""
    low, high = 0, lines.seek(0, os.SEEK_END)
    while low < high:
        middle = (low + high) // 2
        line = _line_after(lines, middle)
        if line and line < wanted:
            low = middle + 1
        else:
            high = middle
    return _line_after(lines, low)


def _line_after(lines: BinaryIO, position: int) -> bytes:
    """The first line that begins at `position` or after it, in capitals; empty at the end."""
    lines.seek(max(0, position - 1))
    if position:
        lines.readline()
    return lines.readline().upper()


# Set at the start of a program that has such a file.
BREACHED = BreachedPasswords()


SHORTEST, LONGEST = 10, 1000
# zxcvbn's score from 0 to 4: below 2, a few hundred thousand guesses are enough. It reads at most 72 characters.
_MIN_SCORE, _READ_BY_ZXCVBN = 2, 72
# Words that are easy to guess on this site in particular.
WORDS_OF_THE_SITE = ("attune", "empathy", "rating", "raters", "study")
# Each check takes memory and a core by design; without a limit, a burst of sign-ins could overload the machine.
_FEW_AT_ONCE = threading.BoundedSemaphore(2)


class AccessError(ValueError):
    """The account cannot be created or changed; the message gives the reason."""


def check_strength(password: str, email: str) -> None:
    """Reject a password that is easy to guess. No particular kinds of characters are required.

    Raises:
        AccessError: it is too short or too long, common, similar to the e-mail address, or known from a breach.
    """
    if len(password) < SHORTEST:
        raise AccessError(f"Use at least {SHORTEST} characters.")
    if len(password) > LONGEST:
        raise AccessError(f"Use at most {LONGEST} characters.")
    from zxcvbn import zxcvbn

    own = [email, *re.split(r"[@.+_-]", email), *WORDS_OF_THE_SITE]
    if zxcvbn(password[:_READ_BY_ZXCVBN], user_inputs=own)["score"] < _MIN_SCORE:
        raise AccessError(
            "This password is easy to guess: it is common, follows a simple pattern, or repeats your e-mail address. "
            "Choose a longer one, such as four unrelated words."
        )
    if password in BREACHED:
        raise AccessError(
            "This password is known from a data breach of another site. Choose one that you use nowhere else."
        )


def hash_password(password: str) -> str:
    """The hash of the password, as it is stored."""
    with _FEW_AT_ONCE:
        return _hasher().hash(password)


def check_password(db: Connection, email: str, password: str) -> Lead | None:
    """The lead, if address and password match. An unknown address takes as long as a wrong password."""
    lead = leads.get_lead(db, email.strip())
    stored = leads.get_password_hash(db, lead.id) if lead else None
    try:
        with _FEW_AT_ONCE:
            _hasher().verify(stored or _dummy_hash(), password[: LONGEST + 1])
    except (VerificationError, InvalidHashError):
        return None
    if lead is None or stored is None:
        return None
    # Checking takes a while, in which the password may have been changed or removed.
    leads.lock_lead(db, lead.id)
    if leads.get_password_hash(db, lead.id) != stored:
        return None
    if _hasher().check_needs_rehash(stored):
        leads.record_password(db, lead.id, hash_password(password))
    return lead


@cache
def _hasher() -> PasswordHasher:
    """Argon2id with 19 MiB, two passes, one lane: the minimum on OWASP's password storage page."""
    return PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


@cache
def _dummy_hash() -> str:
    return _hasher().hash(secrets.token_urlsafe(16))
