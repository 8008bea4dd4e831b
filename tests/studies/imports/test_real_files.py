"""Published files imported as they are: ratings of three evaluators per question, raters in a column, means."""

from pathlib import Path

import pytest

from app.analysis.data.study_folder import StudyFolder
from app.base.limits import ON_THIS_COMPUTER
from app.base.problem import InvalidInputError
from app.results.reproduction.ayers2023 import write_repaired_ayers
from app.studies.folder.read import read_folder
from app.studies.imports.column_meanings import NewRaters, RatingLayout
from app.studies.imports.read_ratings import Ratings, ReadRatings
from tests.real_data.ayers import raw_csv
from tests.real_data.kumar import write_kumar

WELCOME = NewRaters(are_welcome=True)
EAR = ("validating_emotions", "encouraging_elaboration", "demonstrating_understanding")


def without_ratings(folder: Path) -> StudyFolder:
    """A study folder whose raters and ratings are yet to come."""
    for name in ("raters.csv", "ratings.csv"):
        (folder / name).unlink()
    return read_folder(folder)


def imported(study: StudyFolder, file: Path, layout: RatingLayout, raters: NewRaters = WELCOME) -> ReadRatings:
    """The ratings of a file."""
    return Ratings(file, layout, raters, study=study).read(ON_THIS_COMPUTER)


def test_items_of_a_published_file_are_found_by_their_repaired_texts(shared: Path, tmp_path: Path) -> None:
    study = without_ratings(write_repaired_ayers(tmp_path / "ayers", raw_csv(shared)))
    by_id, by_text = (
        imported(study, raw_csv(shared), RatingLayout(item=column)).ratings for column in ("postID", "Question")
    )
    assert len(by_text) == len(by_id) == 2925
    assert by_text.equals(by_id)


def test_raters_named_in_a_column_of_a_published_file(shared: Path, tmp_path: Path) -> None:
    study = without_ratings(write_kumar(tmp_path / "kumar", shared))
    file = shared / "data" / "kumar2025" / "original_data" / "sample_lend_an_ear_annotations.csv"
    found = imported(study, file, RatingLayout(item="conversation_id", rater="user_id"))
    assert (found.ratings["rater"].nunique(), set(EAR) <= set(found.ratings["question"])) == (116, True)
    assert found.ratings["item"].nunique() == 50


def test_means_of_a_published_file_are_one_problem_per_question(shared: Path, tmp_path: Path) -> None:
    study = without_ratings(write_kumar(tmp_path / "kumar", shared))
    file = shared / "data" / "kumar2025" / "annotations" / "lend_an_ear" / "crowd_ratings.csv"
    with pytest.raises(InvalidInputError) as raised:
        imported(study, file, RatingLayout(item="conversation_id"), NewRaters("crowd", are_welcome=True))
    problems = [one for one in raised.value.problems if one.severity == "error"]
    assert len(problems) == 6
    assert sum(one.n for one in problems) > 100
    assert all("--recode" in one.option for one in problems)
