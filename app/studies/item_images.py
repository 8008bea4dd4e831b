"""The images of a study's items: stored by the names of their files, and served by tokens that nobody can guess."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from uuid import UUID

from sqlalchemy import Connection, text

from app.base.files.file_names import safe_file_name
from app.base.files.images import StoredImage

_STORE = text("""
    INSERT INTO images (study_id, name, media_type, width, height, content)
    VALUES (:study, :name, :media_type, :width, :height, :content)
""")
_LIST = text("SELECT name, content, media_type, width, height FROM images WHERE study_id = :study ORDER BY name")
_GET = text("""
    SELECT m.content, m.media_type, m.width, m.height FROM images m JOIN studies s ON s.id = m.study_id
    WHERE m.token = :token AND :address IN (s.rater_token, s.slug)
""")
_OF_ITEM = text("UPDATE items SET image = :name, image_alt = :alt WHERE study_id = :study AND id = :item")
_DESCRIBE = text("""
    UPDATE items SET image_alt = :alt WHERE study_id = :study AND id = :item AND image IS NOT NULL
""")
_FORGET_UNUSED = text("""
    DELETE FROM images m WHERE m.study_id = :study
      AND NOT EXISTS (SELECT FROM items i WHERE i.study_id = m.study_id AND i.image = m.name)
""")
_TAKEN = text("SELECT name FROM images WHERE study_id = :study")
ENDINGS = {"image/jpeg": ".jpg", "image/png": ".png"}


def store_images(db: Connection, study_id: int, images: Mapping[str, StoredImage]) -> None:
    """Store images by name, before the items that show them."""
    for name, image in images.items():
        db.execute(_STORE, {"study": study_id, "name": name, **asdict(image)})


def list_images(db: Connection, study_id: int) -> dict[str, StoredImage]:
    """All images of a study by name."""
    rows = db.execute(_LIST, {"study": study_id})
    return {row.name: StoredImage(bytes(row.content), row.media_type, row.width, row.height) for row in rows}


def get_image(db: Connection, address: str, token: UUID) -> StoredImage | None:
    """The image with this token, if it belongs to the study with this address of raters or of leads."""
    row = db.execute(_GET, {"address": address, "token": token}).one_or_none()
    return None if row is None else StoredImage(bytes(row.content), row.media_type, row.width, row.height)


def describe_image(db: Connection, study_id: int, item_id: int, alt: str) -> None:
    """Replace the words of the image of an item of a draft, if it has one."""
    db.execute(_DESCRIBE, {"study": study_id, "item": item_id, "alt": alt})


def show_image(db: Connection, study_id: int, item_id: int, file_name: str, image: StoredImage, alt: str) -> None:
    """Show an image with an item of a draft, in place of the one that it has."""
    drop_image(db, study_id, item_id)
    taken = set(db.execute(_TAKEN, {"study": study_id}).scalars())
    stem, ending = Path(safe_file_name(file_name)).stem.strip("_-") or "image", ENDINGS[image.media_type]
    names = (f"{stem}{f'-{number}' if number else ''}{ending}" for number in range(len(taken) + 1))
    name = next(name for name in names if name not in taken)
    store_images(db, study_id, {name: image})
    db.execute(_OF_ITEM, {"study": study_id, "item": item_id, "name": name, "alt": alt})


def drop_image(db: Connection, study_id: int, item_id: int) -> None:
    """Show no image with an item of a draft; the image is deleted if no other item shows it."""
    db.execute(_OF_ITEM, {"study": study_id, "item": item_id, "name": None, "alt": None})
    forget_unused_images(db, study_id)


def forget_unused_images(db: Connection, study_id: int) -> None:
    """Delete the images that no item shows."""
    db.execute(_FORGET_UNUSED, {"study": study_id})
