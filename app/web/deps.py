"""What handlers ask for. A loader also authorizes: who gets a thing from here may have it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from fastapi import Depends, Request

from app.storage.engine import Connection


def get_db(request: Request) -> Iterator[Connection]:
    """One transaction a request."""
    with request.app.state.begin() as db:
        yield db


# scope="function": the commit comes before the answer leaves. With the default scope a commit that fails would still
# have answered "saved".
Db = Annotated[Connection, Depends(get_db, scope="function")]
