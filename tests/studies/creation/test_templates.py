"""Every template is a valid study folder, and copies of it can be edited."""

import csv
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from app.base.problem import FolderExistsError
from app.protocol.questions.category import CategoryQuestion
from app.protocol.questions.rating import RatingQuestion
from app.protocol.study import Protocol
from app.studies.creation.read_new_study import feasibility_of_folder, read_template
from app.studies.creation.templates import SlugError, new_study
from app.studies.folder.study_templates import FOLDER, TemplateMissingError, list_templates, template_folder
from tests.kit.templates import template_study

NAMES = [template.name for template in list_templates()]
PAGE = (Path(__file__).resolve().parents[3] / "docs" / "templates.md").read_text(encoding="utf-8")
every_template = pytest.mark.parametrize("name", NAMES)


def protocol_of(name: str) -> Protocol:
    return template_study(name).protocol


def _comment_of(name: str) -> str:
    lines = (FOLDER / name / "study.yaml").read_text(encoding="utf-8").splitlines()
    return " ".join(line.removeprefix("# ") for line in lines if line.startswith("#"))


def rows(name: str, file: str) -> list[dict[str, str]]:
    path = FOLDER / name / file
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def words(row: dict[str, str]) -> str:
    """The text of an item or a response that raters read."""
    return " ".join([row["text"], *(turn["text"] for turn in json.loads(row.get("turns") or "[]"))]).strip()


def test_template_index_matches_folders() -> None:
    assert sorted(NAMES) == sorted(folder.name for folder in FOLDER.iterdir() if folder.is_dir())


@every_template
def test_template_is_read_without_notes(name: str) -> None:
    assert template_study(name).notes == ()


@every_template
def test_template_protocol_round_trips_through_json(name: str) -> None:
    protocol = template_study(name).protocol
    assert Protocol.model_validate_json(protocol.model_dump_json()) == protocol


@every_template
def test_template_design_is_feasible(name: str) -> None:
    outcome = feasibility_of_folder(template_study(name))
    assert outcome.problems == ()
    assert outcome.n_raters >= 2


def test_published_wording_is_reproduced() -> None:
    """Welivita and Pu 2024 ask raters this question, with these three answers."""
    question = protocol_of("three-point").question("empathy")
    assert isinstance(question, RatingQuestion)
    assert question.text == (
        "How empathetic is the speaker #2's response, compared to how you would have responded for the same situation?"
    )
    assert [point.words for point in question.scale.points] == ["Bad", "Okay", "Good"]


@every_template
def test_template_slug_matches_folder_and_texts_have_a_source(name: str) -> None:
    protocol = protocol_of(name)
    assert (protocol.slug, protocol.template) == (name, name)
    assert "written for the template" in _comment_of(name)
    assert len(protocol.instructions) > 120


@every_template
def test_a_study_from_a_template_takes_over_no_prose_about_the_study(name: str) -> None:
    protocol = read_template(name, "Consolation", "consolation").protocol
    assert (protocol.description, protocol.about_texts, protocol.template) == ("", "", name)


@every_template
def test_the_title_that_raters_see_does_not_give_the_study_away(name: str) -> None:
    title = protocol_of(name).rater_title
    assert title
    assert not re.search(
        r"\b(AI|chatbot|model|human|label|source|experiment|condition|manipulat)", title, re.IGNORECASE
    )


@every_template
def test_random_order_is_announced_where_raters_compare_responses(name: str) -> None:
    protocol = protocol_of(name)
    is_announced = "random order" in " ".join(protocol.instructions.split())
    assert is_announced == (protocol.design.trials in {"pairs", "set"})


@every_template
def test_a_passage_is_marked_after_the_answer_that_it_supports(name: str) -> None:
    types = [question.type for question in protocol_of(name).questions]
    assert all(before == "rating" for before, after in pairwise(types) if after == "highlight")


@every_template
def test_no_turn_is_asked_about_before_the_person_has_had_a_reply(name: str) -> None:
    """Each response's conversation starts with the responder if raters judge after its first turn."""
    if not any(question.target == "turn" for question in protocol_of(name).questions):
        return
    for row in rows(name, "responses.csv"):
        assert json.loads(row["turns"])[0]["speaker"] in {"Supporter", "Assistant"}


@every_template
def test_every_scale_point_has_a_label(name: str) -> None:
    scales = [question.scale for question in protocol_of(name).questions if isinstance(question, RatingQuestion)]
    assert all(point.words for scale in scales for point in scale.points)


@every_template
def test_template_has_few_items_with_a_response_per_source(name: str) -> None:
    items = [row["item"] for row in rows(name, "items.csv")]
    assert 4 <= len(items) == len(set(items)) <= 8
    shown = {(row["item"], row["source"]) for row in rows(name, "responses.csv")}
    sources = () if protocol_of(name).writing else protocol_of(name).sources
    assert shown == {(item, source) for item in items for source in sources}


@every_template
def test_every_text_is_present_and_short(name: str) -> None:
    for row in [*rows(name, "items.csv"), *rows(name, "responses.csv")]:
        assert words(row)
        assert len(words(row).split()) <= 160
        assert not row["text"] or not row.get("turns")


def test_no_text_is_shared_between_templates() -> None:
    texts = [words(row) for name in NAMES for file in ("items.csv", "responses.csv") for row in rows(name, file)]
    assert len(texts) == len(set(texts)) > 200


@every_template
def test_columns_named_by_protocol_exist_with_valid_values(name: str) -> None:
    protocol = protocol_of(name)
    for question in protocol.questions:
        if isinstance(question, CategoryQuestion) and question.correct_column:
            file = "items.csv" if question.target == "item" else "responses.csv"
            found = {row[question.correct_column] for row in rows(name, file)}
            assert found <= set(question.codes)
            assert len(found) > 1
    if protocol.analysis.responder:
        assert all(row[protocol.analysis.responder] for row in rows(name, "responses.csv"))


@every_template
def test_templates_page_names_each_source(name: str) -> None:
    source = next(template.source for template in list_templates() if template.name == name)
    part = re.search(rf"^## {name}$(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert part, f"no heading {name} in docs/templates.md"
    years = re.findall(r"[A-Z][\w-]+(?: et al\.| & \w+)? \d{4}", source)
    assert years
    text = " ".join(part[1].split())
    assert all(year in text for year in years)


def test_new_study_differs_from_template_only_in_slug_and_title(tmp_path: Path) -> None:
    folder = new_study("epitome", tmp_path / "mine", "my-study", 'Peers: "how" they reply')
    before, after = ((place / "study.yaml").read_text().splitlines() for place in (template_folder("epitome"), folder))
    assert [new for old, new in zip(before, after, strict=True) if old != new] == [
        "slug: my-study",
        'title: "Peers: \\"how\\" they reply"',
    ]
    for file in ("items.csv", "responses.csv"):
        assert (folder / file).read_bytes() == (template_folder("epitome") / file).read_bytes()
    assert Protocol.model_validate(YAML(typ="safe").load(folder / "study.yaml")).title == 'Peers: "how" they reply'


def test_existing_folder_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text("mine")
    with pytest.raises(FolderExistsError):
        new_study("epitome", tmp_path, "s", "T")
    assert [path.name for path in tmp_path.iterdir()] == ["study.yaml"]
    assert (tmp_path / "study.yaml").read_text() == "mine"
    with pytest.raises(FolderExistsError):
        new_study("epitome", tmp_path / "study.yaml", "s", "T")


def test_unknown_template_or_invalid_slug_creates_nothing(tmp_path: Path) -> None:
    with pytest.raises(TemplateMissingError):
        new_study("../design", tmp_path / "a", "s", "T")
    with pytest.raises(SlugError):
        new_study("epitome", tmp_path / "b", "My Study", "T")
    assert list(tmp_path.iterdir()) == []
