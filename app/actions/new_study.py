"""A new study from what a lead uploads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.design.fault import Fault, FaultsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection


def store_upload(db: Connection, files: Mapping[str, bytes], lead_id: int) -> str:
    """Check the files of a study folder, or one zip of them, and store the study.

    Returns:
        The study's slug.

    Raises:
        FaultsError: with every fault; nothing was stored.
    """
    from app.exchange import read_upload
    from app.storage.load import load_study

    if not files:
        raise FaultsError([Fault("upload", None, None, "no file", "the files of a study folder, or one zip of them")])
    folder = read_upload(dict(files))
    with db.begin_nested():
        load_study(db, folder, lead_id)
    return folder.protocol.slug
