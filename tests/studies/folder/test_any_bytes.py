"""Any input results in a study or a list of problems, never in another error."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.base.problem import InvalidInputError, Problem
from app.studies.creation.read_new_study import read_upload
from app.studies.folder.read import read_files
from tests.kit.examples import examples
from tests.kit.small import small

FILES = small()
NAMES = st.sampled_from(sorted(FILES))
# Pieces with a meaning in the format, to be mixed with random bytes.
PIECES = st.sampled_from(
    [
        b",",
        b'"',
        b"\n",
        b"\r",
        b"\0",
        b"|",
        b"[",
        b"{",
        b"}",
        b":",
        b" ",
        b"-",
        b"nan",
        b"inf",
        b"1e999",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\x81",
        b"&a",
        b"*a",
        b"!!python/object:os.system",
        b"? ",
        b"tie",
        b"a:person",
        b"\\ud800",
        b"0x1F",
        b"9" * 400,
        b"2026-13-45",
        b"null",
        b"~",
        b"<<: ",
        b"\t",
        b"- ",
        b"\xe2\x80\xae",
    ]
)


@st.composite
def broken(draw: st.DrawFn) -> dict[str, bytes]:
    """Draw the small study with a few deletions and insertions."""
    files = dict(FILES)
    for _ in range(draw(st.integers(1, 4))):
        name = draw(NAMES)
        data = files[name]
        begin = draw(st.integers(0, len(data)))
        end = min(len(data), begin + draw(st.integers(0, 12)))
        files[name] = data[:begin] + draw(PIECES | st.binary(max_size=6)) + data[end:]
    return files


def _is_study_or_problems(files: dict[str, bytes]) -> None:
    problems: list[Problem] = []
    try:
        read_files(files)
    except InvalidInputError as error:
        problems = error.problems
    assert not problems or any(problem.severity == "error" for problem in problems)
    assert all(problem.sentence().isprintable() for problem in problems)


@given(broken())
@settings(max_examples=examples(60), deadline=None)
def test_damaged_study_gives_study_or_problems(files: dict[str, bytes]) -> None:
    _is_study_or_problems(files)


@given(st.dictionaries(NAMES, st.binary(max_size=200)))
@settings(max_examples=examples(25), deadline=None)
def test_any_bytes_give_study_or_problems(files: dict[str, bytes]) -> None:
    _is_study_or_problems(files)


@given(st.binary(max_size=300).map(lambda data: b"PK\x03\x04" + data) | st.binary(max_size=300))
@settings(max_examples=examples(25), deadline=None)
def test_invalid_upload_always_gives_problems(data: bytes) -> None:
    with pytest.raises(InvalidInputError):
        read_upload({"upload.zip": data})
