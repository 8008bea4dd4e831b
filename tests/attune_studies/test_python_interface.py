"""The interface for notebooks: what `read` gives, the list of coefficients in the docs, and the notebook itself.

`python -m tests.attune_studies.test_python_interface` writes the list of coefficients in docs/python.md anew.
"""

import json
import shutil
from inspect import signature
from pathlib import Path

import pytest

import app.analysis.sections.agreement  # noqa: F401 - what is declared there
import attune_studies
from app.analysis.document.bibliography import of_statistic
from app.analysis.statistic import declared
from app.base.problem import InvalidInputError
from attune_studies import coefficients
from tests.house.test_statistics import headings

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "clients" / "example-study"
PAGE = ROOT / "docs" / "python.md"
LIST = "| function | statistic | publications |\n|---|---|---|\n"


def written() -> str:
    """The list of coefficients, in the order of their names."""
    rows = []
    for name, function in sorted(coefficients.COEFFICIENTS.items()):
        keys = coefficients.statistics_of(function)
        first = declared(keys[0])
        anchor = headings(ROOT / first.formula)[first.key]
        # A name that goes on in the variant, such as "... (same rater, same item)", is written whole.
        told = first.name if first.name.count("(") == first.name.count(")") else first.label
        link = f"[{told}]({first.formula.removeprefix('docs/')}#{anchor})"
        cited = dict.fromkeys(one.in_text for key in keys for one in of_statistic(key))
        rows.append(f"| `{name}({', '.join(signature(function).parameters)})` | {link} | {'; '.join(cited)} |")
    return LIST + "\n".join(rows) + "\n"


def test_page_lists_coefficients_as_they_are() -> None:
    assert PAGE.read_text("utf-8").endswith(written()), "python -m tests.attune_studies.test_python_interface"


def test_every_coefficient_is_documented_and_computes_declared_statistics() -> None:
    assert len(coefficients.COEFFICIENTS) > 60
    for function in coefficients.COEFFICIENTS.values():
        assert function.__doc__
        assert all(declared(key).docs for key in coefficients.statistics_of(function))
    with pytest.raises(ValueError, match="is not a coefficient"):
        coefficients.statistics_of(shutil.copy)


def test_tables_have_the_columns_of_the_files_and_people_come_first() -> None:
    study = attune_studies.read(EXAMPLE)
    assert (len(study.items), len(study.responses), len(study.raters)) == (5, 15, 5)
    assert study.ratings().empty
    assert len(study.ratings("simulated")) == len(study.ratings("all")) == 180
    assert {"rater", "source", "value_number", "rater_kind"} <= {*study.ratings("all")}
    with pytest.raises(ValueError, match="people, judges, simulated and all"):
        study.ratings("humans")  # type: ignore[arg-type]  # what a user may write


def test_people_judges_repeats_and_excluded_answers_are_kept_apart(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "study")
    ratings, raters = tmp_path / "study" / "ratings.csv", tmp_path / "study" / "raters.csv"
    (header, *lines) = ratings.read_text("utf-8").splitlines()
    names = [line.partition(",")[0] for line in raters.read_text("utf-8").splitlines()[1:]]
    kinds = ["person,false", "person,false", "model,false", "person,true", "person,true"]
    raters.write_text("rater,kind,is_simulated\n" + "\n".join(map("{},{}".format, names, kinds)) + "\n", "utf-8")
    cut = [",".join(line.split(",")[:5]) for line in lines]
    is_first = [line.startswith(names[0]) for line in lines]
    left_out = is_first.index(True)
    rows = [f"{line},{'late' if n == left_out else ''}" for n, line in enumerate(cut)]
    ratings.write_text("\n".join([",".join(header.split(",")[:5]) + ",exclude", *rows]) + "\n", "utf-8")
    study = attune_studies.read(tmp_path / "study")
    of = {name: sum(line.startswith(name) for line in lines) for name in names}
    assert len(study.ratings()) == of[names[0]] + of[names[1]] - 1
    assert len(study.ratings("judges")) == of[names[2]]
    assert len(study.ratings("simulated")) == of[names[3]] + of[names[4]]


def test_zip_file_is_read_like_its_folder(tmp_path: Path) -> None:
    file = shutil.make_archive(str(tmp_path / "study"), "zip", EXAMPLE.parent, EXAMPLE.name)
    assert attune_studies.read(file).ratings("all").equals(attune_studies.read(EXAMPLE).ratings("all"))


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no study folder"):
        attune_studies.read(tmp_path / "nothing")
    with pytest.raises(InvalidInputError, match=r"study\.yaml"):
        attune_studies.read(tmp_path)
    (tmp_path / "text.zip").write_text("no archive")
    with pytest.raises(ValueError, match="neither a folder nor a zip file"):
        attune_studies.read(tmp_path / "text.zip")


def test_coefficient_of_a_table_is_that_of_the_report() -> None:
    study = attune_studies.read(EXAMPLE)
    ratings, estimates = study.ratings("simulated"), study.estimates
    rows = ratings[(ratings.question == "emotional_response") & (ratings.source == "model_a")]
    mine = coefficients.krippendorff_alpha(attune_studies.ratings_of(rows), level="ordinal")
    theirs = estimates[
        (estimates.statistic == "krippendorff_alpha_ordinal")
        & (estimates.question == "emotional_response")
        & (estimates.scope == {"source": "model_a"})
        & estimates.method.str.startswith("jackknife_units")
    ]
    assert mine.interval
    assert theirs[["estimate", "ci_low", "ci_high"]].to_numpy().tolist() == [
        [mine.estimate, mine.interval.low, mine.interval.high]
    ]


def test_table_for_a_coefficient_is_checked() -> None:
    ratings = attune_studies.read(EXAMPLE).ratings("all")
    with pytest.raises(ValueError, match="several questions"):
        attune_studies.ratings_of(ratings)
    with pytest.raises(ValueError, match="no column 'score'"):
        attune_studies.ratings_of(ratings, value="score")
    one = ratings[ratings.question == "emotional_response"]
    words = attune_studies.ratings_of(one, value="value_label")
    assert coefficients.percent_agreement(words) == coefficients.percent_agreement(attune_studies.ratings_of(one))


def test_notebook_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    file = EXAMPLE.parent / "notebook.ipynb"
    monkeypatch.chdir(file.parent)
    notebook = json.loads(file.read_text("utf-8"))
    names: dict[str, object] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)  # noqa: S102 - our own notebook
    assert len(names["by_source"]) == 3  # type: ignore[arg-type]  # a dict of its last cell


if __name__ == "__main__":
    page = PAGE.read_text("utf-8")
    PAGE.write_text(page[: page.index(LIST)] + written(), encoding="utf-8")
