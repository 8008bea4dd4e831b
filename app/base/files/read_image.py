"""Read uploaded images: checked by their content, scaled, and encoded again without metadata."""

import struct
import warnings
from io import BytesIO
from typing import Any

from PIL import Image, ImageCms, ImageOps, JpegImagePlugin

from app.base.files.images import ALLOWED, LONGEST_SIDE, MAX_BYTES, MAX_PIXELS, ImageError, StoredImage
from app.base.files.input_limits import MEBIBYTE
from app.base.limits import Limits
from app.base.problem import InvalidInputError, Problem

_QUALITY = 90
# How files of other kinds begin, after how many bytes, and what they are.
_OTHERS = (
    (0, b"GIF8", "a GIF, which can move"),
    (8, b"WEBP", "a WebP image"),
    (4, b"ftyp", "a HEIC or AVIF image"),
    (0, b"BM", "a BMP image"),
    (0, b"II*\0", "a TIFF image"),
    (0, b"MM\0*", "a TIFF image"),
    (0, b"%PDF", "a PDF"),
)
_UNREADABLE = (OSError, SyntaxError, ValueError, struct.error, EOFError, IndexError, KeyError)


def read_image(data: bytes) -> StoredImage:
    """An uploaded image in the form in which everyone gets it.

    It is turned upright, converted to sRGB, put on white where it is transparent, so that it is the same on light and
    dark pages, and made smaller if its longer side has more than 1,600 pixels. A JPEG keeps its own tables of
    compression.

    Raises:
        ImageError: it is no JPEG or PNG image, it is damaged or moves, or it is too large.
    """
    if len(data) > MAX_BYTES:
        raise ImageError(f"a file of {len(data) / MEBIBYTE:,.1f} MB")
    try:
        with warnings.catch_warnings(action="ignore", category=Image.DecompressionBombWarning):
            image = Image.open(BytesIO(data), formats=("JPEG", "PNG"))
    except Image.DecompressionBombError:
        raise ImageError("an image of more than 100 megapixels") from None
    except _UNREADABLE:
        raise ImageError(_kind(data)) from None
    n_pixels = image.width * image.height
    if n_pixels > MAX_PIXELS:
        raise ImageError(f"an image of {image.width:,} × {image.height:,} pixels, {n_pixels / 1e6:.1f} megapixels")
    if getattr(image, "is_animated", False) and image.format == "PNG":
        raise ImageError("a PNG that moves")
    try:
        return _encoded(image)
    except _UNREADABLE:
        raise ImageError("a damaged image") from None


def _kind(data: bytes) -> str:
    """What a file is that cannot be opened as an image."""
    if b"<svg" in data[:4096].lower():
        return "an SVG, which can contain scripts"
    known = (words for start, mark, words in _OTHERS if data[start : start + len(mark)] == mark)
    return next(known, "no image, or a damaged one") if data else "an empty file"


def _encoded(image: Image.Image) -> StoredImage:
    """The image written again, in its own format."""
    is_jpeg = image.format == "JPEG"
    image.load()
    options = _tables(image) if is_jpeg else {}
    before = image.size
    image = _flat(_in_srgb(ImageOps.exif_transpose(image)))
    if max(image.size) > LONGEST_SIDE:
        image = image if image.mode in {"L", "RGB"} else image.convert("RGB")
        image.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Image.Resampling.LANCZOS)
    if is_jpeg and (image.size != before or not options):
        options = {"quality": _QUALITY}
    # Pillow would write what it has read: the comment, the profile of colours, the resolution.
    image.info = {}
    file = BytesIO()
    image.save(file, "JPEG" if is_jpeg else "PNG", **options)
    return StoredImage(file.getvalue(), "image/jpeg" if is_jpeg else "image/png", image.width, image.height)


def _tables(image: Image.Image) -> dict[str, Any]:
    """The tables of a JPEG's compression: with them, hardly anything is lost by encoding it once more."""
    if not isinstance(image, JpegImagePlugin.JpegImageFile) or image.mode not in {"L", "RGB"}:
        return {}
    sampling = JpegImagePlugin.get_sampling(image)
    return {"qtables": image.quantization} | ({"subsampling": sampling} if sampling >= 0 else {})


def _in_srgb(image: Image.Image) -> Image.Image:
    """The image in the colours of screens, without its profile of colours; unchanged if the profile is damaged."""
    profile = image.info.get("icc_profile")
    if not profile or image.mode not in {"RGB", "CMYK"}:
        return image
    try:
        own = ImageCms.ImageCmsProfile(BytesIO(profile))
        return ImageCms.profileToProfile(image, own, ImageCms.createProfile("sRGB"), outputMode="RGB") or image
    except (ImageCms.PyCMSError, OSError):
        return image


def _flat(image: Image.Image) -> Image.Image:
    """The image without transparency, in a mode that both formats can write."""
    if image.has_transparency_data:
        image = image.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB")
    if image.mode.startswith("I"):
        # 16 bits per pixel, of which screens show 8.
        return image.convert("I").point(lambda value: value / 256).convert("L")
    return image if image.mode in {"1", "L", "P", "RGB"} else image.convert("RGB")


def read_uploaded_image(upload: tuple[str, bytes], _: Limits) -> StoredImage:
    """An uploaded image, given as the name of its file and its content.

    Raises:
        InvalidInputError: it is not accepted.
    """
    name, content = upload
    try:
        return read_image(content)
    except ImageError as error:
        raise InvalidInputError([Problem(name, None, None, str(error), ALLOWED)]) from None
