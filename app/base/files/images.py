"""Images of a study: how they are stored, and which are accepted."""

from dataclasses import dataclass

from app.base.files.input_limits import MEBIBYTE

MAX_BYTES = 10 * MEBIBYTE
MAX_PIXELS = 25_000_000
# Wider than any column of text, also on screens of high resolution.
LONGEST_SIDE = 1_600
# Characters of the words for people who cannot see the image.
MAX_ALT = 500
ALLOWED = (
    f"a JPEG or PNG image of at most {MAX_BYTES // MEBIBYTE} MB and {MAX_PIXELS // 1_000_000} megapixels; "
    f"{LONGEST_SIDE:,} pixels on the longer side are enough"
)


class ImageError(ValueError):
    """A file that is not accepted as an image; the message says what was found."""


@dataclass(frozen=True, slots=True)
class StoredImage:
    """An image as it is stored and served: `content` was written by this program. Width and height in pixels."""

    content: bytes
    media_type: str
    width: int
    height: int
