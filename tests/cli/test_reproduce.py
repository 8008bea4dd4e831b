"""attune reproduce: every published number within its tolerance, and other data refused with the reason."""

import json
from pathlib import Path

import pytest

from tests.kit.command_line import Attune, attune

__all__ = ["attune"]


@pytest.mark.parametrize(
    ("pack", "data", "n"),
    [
        ("ayers2023", "ayers2023/JAMA.csv", 11),
        ("kumar2025", "kumar2025", 63),
        ("pandalm", "pandalm/testset-v1.json", 3),
    ],
)
@pytest.mark.slow
def test_a_published_study_is_reproduced(
    attune: Attune, shared: Path, tmp_path: Path, pack: str, data: str, n: int
) -> None:
    said = attune("reproduce", pack, "--data", shared / "data" / data, "--json", "--out", tmp_path / "study")
    found = json.loads(said.out)
    assert [one["result"] for one in found if not one["is_within"]] == []
    assert (said.code, len(found)) == (0, n)
    assert f"{n} of {n} numbers are reproduced" in said.err
    assert (tmp_path / "study" / "study.yaml").exists()
    # The bytes of this file are those of a Mac, and were read as Windows-1252 by whoever saved it.
    if pack == "ayers2023":
        responses = (tmp_path / "study" / "responses.csv").read_text(encoding="utf-8")
        assert ("‰Ûª" in responses, "don’t" in responses) == (False, True)


def test_wrong_data_are_refused_with_reason(attune: Attune, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    said = attune("reproduce", "ayers2023", "--data", tmp_path / "other.csv")
    assert (said.code, said.out) == (1, "")
    assert "is not what this pack reads (looked for 'postID'). It needs JAMA.csv" in said.err
    assert "is not what this pack reads" in attune("reproduce", "pandalm", "--data", tmp_path / "other.csv").err
    assert "No such file" in attune("reproduce", "kumar2025", "--data", tmp_path).err
    unknown = attune("reproduce", "nobody2020", "--data", tmp_path)
    assert (unknown.code, "Expected one of ayers2023, kumar2025, pandalm" in unknown.err) == (2, True)
