"""Uploaded images are checked by their content, and encoded again without metadata."""

from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageCms

from app.base.files.images import MAX_BYTES, ImageError
from app.base.files.read_image import read_image
from tests.kit.images import a_png, image_file

SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
SVG = b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
MOVING: dict[str, Any] = {"save_all": True, "append_images": [Image.new("RGB", (9, 9), "red")]}


def decoded(content: bytes) -> Image.Image:
    return Image.open(BytesIO(content))


def with_secrets(kind: str) -> bytes:
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = 6, "SECRET place"
    comment: dict[str, Any] = {"comment": b"SECRET"} if kind == "JPEG" else {}
    return image_file((80, 40), kind, colour="red", exif=exif, icc_profile=SRGB, dpi=(300, 300), **comment)


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_metadata_are_removed_and_the_image_is_upright(kind: str) -> None:
    data = with_secrets(kind)
    image = read_image(data)
    assert b"SECRET" in data
    assert not any(mark in image.content for mark in (b"SECRET", b"Exif", b"eXIf", b"ICC", b"iCCP"))
    assert (image.media_type, image.width, image.height) == (f"image/{kind.lower()}", 40, 80)
    assert decoded(image.content).size == (40, 80)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "an empty file"),
        (b"text", "no image, or a damaged one"),
        (SVG, "an SVG, which can contain scripts"),
        (image_file((9, 9), "GIF"), "a GIF, which can move"),
        (image_file((9, 9), "WEBP"), "a WebP image"),
        (image_file((9, 9), "TIFF"), "a TIFF image"),
        (image_file((9, 9), "PNG", **MOVING), "a PNG that moves"),
        (partial(image_file, (8000, 5000), "PNG", "1"), "an image of 8,000 × 5,000 pixels, 40.0 megapixels"),
        (partial(image_file, (30_000, 9000), "PNG", "1"), "an image of more than 100 megapixels"),
        (a_png()[:70], "a damaged image"),
        (b"\xff\xd8" + bytes(MAX_BYTES), "a file of 10.0 MB"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_other_files_are_refused_in_words(data: bytes | Callable[[], bytes], words: str) -> None:
    """The largest are drawn for their test only: all workers of pytest read this list."""
    with pytest.raises(ImageError, match=words.replace("(", r"\(")):
        read_image(data() if callable(data) else data)


def test_a_file_is_read_by_its_content_and_made_smaller() -> None:
    image = read_image(image_file((3200, 800), "JPEG"))
    assert (image.width, image.height, image.media_type) == (1600, 400, "image/jpeg")


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "LA"])
def test_transparent_parts_are_white_on_every_page(mode: str) -> None:
    image = decoded(read_image(image_file((4, 4), "PNG", mode)).content)
    assert image.convert("RGB").getpixel((0, 0)) == ((255,) * 3 if "A" in mode else (0,) * 3)


def test_sixteen_bits_per_pixel_keep_their_shades() -> None:
    shades = np.arange(256, dtype="uint16").reshape(16, 16) * 257
    file = BytesIO()
    Image.fromarray(shades).save(file, "PNG")
    assert (np.asarray(decoded(read_image(file.getvalue()).content)) == shades // 256).all()


def test_encoding_once_more_changes_hardly_anything() -> None:
    grain = np.random.default_rng(1).normal(0, 12, (64, 64, 3))
    slope = np.linspace(0, 255, 64)[:, None, None]
    file = BytesIO()
    Image.fromarray((slope + grain).clip(0, 255).astype("uint8")).save(file, "JPEG", quality=60)
    first = read_image(file.getvalue())
    before, after = (np.asarray(decoded(one), float) for one in (first.content, read_image(first.content).content))
    assert abs(before - after).mean() < 0.5
    png = read_image(a_png())
    assert read_image(png.content) == png
