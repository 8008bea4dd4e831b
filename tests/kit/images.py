"""Small images as files."""

from io import BytesIO
from typing import Any

from PIL import Image


def image_file(size: tuple[int, int], kind: str, mode: str = "RGB", colour: Any = 0, **options: Any) -> bytes:  # noqa: ANN401 - as Pillow
    """The file of an image of one colour."""
    file = BytesIO()
    Image.new(mode, size, colour).save(file, kind, **options)
    return file.getvalue()


def a_png(size: tuple[int, int] = (40, 30)) -> bytes:
    """A PNG of this width and height."""
    return image_file(size, "PNG", colour="teal")
