"""The fingerprint of a report: a hash of everything that it depends on."""

from __future__ import annotations

import hashlib

from pandas.util import hash_pandas_object

from app.analysis.data.frames import Frames
from app.analysis.data.report_filters import ALL, Filters
from app.protocol.study import Protocol


def fingerprint(frames: Frames, protocol: Protocol, filters: Filters = ALL) -> str:
    """SHA-256 of everything that a report depends on."""
    digest = hashlib.sha256(protocol.model_dump_json().encode())
    digest.update(repr(filters).encode() if filters else b"")
    every = (
        *(frames.items, frames.responses, frames.raters, frames.ratings),
        *(frames.checks, frames.arrivals, frames.sample),
    )
    for frame in (frame for frame in every if frame is not None):
        digest.update("\0".join(map(str, frame.columns)).encode())
        digest.update(hash_pandas_object(frame, index=False).to_numpy().tobytes())
    return digest.hexdigest()
