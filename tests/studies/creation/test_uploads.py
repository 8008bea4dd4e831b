"""Uploads that are accepted, and uploads that are rejected."""

import io
import zipfile

import pytest

from app.base.limits import Limits
from app.base.problem import InvalidInputError
from app.studies.creation.read_new_study import read_upload
from tests.kit.small import small


def zipped(files: dict[str, bytes], top: str = "") -> dict[str, bytes]:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(top + name, data)
    return {"study.zip": buffer.getvalue()}


def test_folder_files_can_be_uploaded_separately() -> None:
    assert len(read_upload(small()).ratings) == 11


def test_browser_paths_in_file_names_are_accepted() -> None:
    assert len(read_upload({f"my study/{name}": data for name, data in small().items()}).ratings) == 11
    assert len(read_upload({f"C:\\study\\{name}": data for name, data in small().items()}).ratings) == 11


@pytest.mark.parametrize("top", ["", "small/", "data/small/"])
def test_zipped_folder_can_be_uploaded(top: str) -> None:
    assert len(read_upload(zipped(small() | {"README.txt": b"hello"}, top)).ratings) == 11


def test_macos_metadata_in_zip_is_ignored() -> None:
    files = zipped(small() | {"__MACOSX/._study.yaml": b"\0", "__MACOSX/study.yaml": b"\0"})
    assert len(read_upload(files).ratings) == 11


def test_zip_path_traversal_is_ignored() -> None:
    files = zipped({"../../etc/study.yaml": b"x", "../study.yaml": b"x"} | small())
    assert len(read_upload(files).ratings) == 11


def test_unknown_file_is_ignored_with_note() -> None:
    study = read_upload(small() | {"notes.docx": b"\0"})
    assert [(note.file, note.severity) for note in study.notes] == [("notes.docx", "warning")]


def test_duplicate_file_names_are_a_problem() -> None:
    with pytest.raises(InvalidInputError, match="two files with this name"):
        read_upload(small() | {"other/items.csv": b"item,text\n"})


def test_zip_bomb_is_rejected_before_unpacking() -> None:
    bomb = zipped(small() | {"responses.csv": b"0" * 50_000_000})
    assert len(bomb["study.zip"]) < 100_000
    with pytest.raises(InvalidInputError, match=r"found \"47\.\d MiB unpacked\"; allowed: at most 10 MiB unpacked"):
        read_upload(bomb, limits=Limits(unpacked_mb=10))


def test_oversized_upload_is_rejected() -> None:
    with pytest.raises(InvalidInputError, match="1 MiB in total"):
        read_upload(small(items=b"x" * 2**20), limits=Limits(unpacked_mb=1))


@pytest.mark.parametrize(
    "data", [b"", b'{"slug": "small"}', zipped(small())["study.zip"][:-30]], ids=["empty", "json", "cut off"]
)
def test_zip_that_is_none_is_named(data: bytes) -> None:
    with pytest.raises(InvalidInputError) as error:
        read_upload({"study.zip": data})
    assert [(one.file, one.found) for one in error.value.problems] == [
        ("study.zip", "a file that is no zip, or a damaged one")
    ]


def test_damaged_zip_is_a_problem() -> None:
    data = bytearray(zipped(small())["study.zip"])
    data[40:80] = b"\xff" * 40
    with pytest.raises(InvalidInputError, match="a zip file that cannot be read"):
        read_upload({"study.zip": bytes(data)})
