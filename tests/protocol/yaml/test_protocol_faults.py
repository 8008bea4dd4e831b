"""study.yaml: each problem names its line; values that YAML 1.1 would misread stay text."""

import pytest

from app.base.problems import Problems
from app.protocol.questions.category import CategoryQuestion
from app.protocol.questions.rating import RatingQuestion
from app.protocol.yaml.study_yaml import read_protocol
from tests.kit.small import YAML, only_problem, problems_in, read_small, small

# text in study.yaml, its replacement, line, column, found, part of what is allowed
WRONG = [
    ("attune: 1", "attune: 2", 1, "attune", "2", "1"),
    *(
        ("sources:", f"completion: {{url: '{url}'}}\nsources:", 4, "completion.url", url, "such as https://")
        for url in ("https://[", "example.org/done", "javascript:alert(1)", "https://example.org:x", "https://")
    ),
    ("sources:", "flow: {revisit: fit}\nsources:", 4, "flow.revisit", "fit", "a list, such as [first, second]"),
    ("sources:", "flow: {consent: agree}\nsources:", 4, "flow.consent", "agree", "settings, such as {name: value}"),
    ("slug: small", "slug: A Small", 2, "slug", "A Small", "lowercase letters, digits and hyphens"),
    ("title: A small study\n", "", 1, "title", "nothing", "required"),
    ("title: A small study", "titel: x\ntitle: A small study", 3, "titel", "titel", "title (did you mean this?)"),
    ("title: A small study", "title: x\ntitle: A small study", 4, "title", "a duplicate key", "line 3"),
    ("{kind: human}", "{kind: robot}", 5, "sources.person.kind", "robot", "human, model or human+model"),
    ("type: slider, text: Fit?", "type: scale, text: Fit?", 10, "questions.3.type", "scale", "rating, slider, choice"),
    ("type: slider, text: Fit?", "text: Fit?", 10, "questions.3.type", "nothing", "rating, slider, choice"),
    ("key: fit", "key: warmth", 7, "questions", "warmth more than once", "each have their own key"),
    ("max: 1,", "max: 0,", 10, "questions.3", "0 to 0", "greater than its min"),
    ("step: 0.1", "step: 0.3", 10, "questions.3", "0 to 1 in steps of 0.3", "the slider's steps must reach its max"),
    ("title: A small study", 'title: "  "', 3, "title", "only spaces", "the title must not be blank"),
    ("sources:", "analysis: {cut: {warmth: 9}}\nsources:", 4, "analysis.cut.warmth", "9", "must be from 1 to 3"),
    (
        "sources:",
        "analysis: {primary: [fitt]}\nsources:",
        4,
        "analysis.primary.1",
        "fitt",
        "a question or a composite (preference, warmth, fit,",
    ),
    ("max: 1,", "max: inf,", 10, "questions.3.max", "inf", "a finite number"),
    ("step: 0.1", "step: 0.000001", 10, "questions.3", "1,000,000", "a slider must have at most 10,000 steps"),
    ("{1: cold, 2: mild, 3: warm}", "{1: cold}", 9, "questions.2.scale", "1", "at least two points"),
    ("{1: cold, 2: mild, 3: warm}", "{1: a, 2: A}", 9, "questions.2.scale", "“A” for both 1 and 2", "its own words"),
    ("{1: cold, 2: mild, 3: warm}", "{low: cold, 2: mild}", 9, "questions.2.scale", "low", "must be numbers"),
    ("strength: true", "strenght: true", 8, "questions.1.strenght", "strenght", "strength (did you mean this?)"),
    (
        "sources:",
        "design: {raters_per_trail: 3}\nsources:",
        4,
        "design.raters_per_trail",
        "raters_per_trail",
        "raters_per_trial",
    ),
    (
        "sources:",
        "design: {repeats: {n: 2, mindistance: 3}}\nsources:",
        4,
        "design.repeats.mindistance",
        "mindistance",
        "min_distance (did you mean this?)",
    ),
    (
        "sources:",
        "flow: {consent: {version: 1, text: x, agreee: y}}\nsources:",
        4,
        "flow.consent.agreee",
        "agreee",
        "agree (did you mean this?)",
    ),
    (
        "sources:",
        "analysis: {composites: {k: {questions: [fit], skore: sum}}}\nsources:",
        4,
        "analysis.composites.k.skore",
        "skore",
        "score (did you mean this?)",
    ),
    ("sources:", "design: {raters_per_trial: many}\nsources:", 4, "design.raters_per_trial", "many", "a whole number"),
    ("sources:", "analysis: {reference: nobody}\nsources:", 4, "analysis.reference", "nobody", "person or model"),
    (
        "{kind: human}",
        "{kind: human}\n  'gpt ': {kind: model}",
        6,
        "sources.gpt ",
        "gpt ",
        "without leading or trailing",
    ),
    ("max: 1,", "max: many,", 10, "questions.3.max", "many", "a number"),
    ("sources:", "analysis: {cut: {does: 1}}\nsources:", 4, "analysis.cut", "does", "must name rating questions"),
    ("title: A small study", 'title: "\\0"', 3, "title", "U+0000", "a database can hold"),
    ("title: A small study", "? [a]\n: b\ntitle: A small study", 3, None, "a key that is not plain text", "plain text"),
]


@pytest.mark.parametrize(("there", "instead", "line", "column", "found", "allowed"), WRONG)
def test_protocol_problem_names_its_line(
    there: str, instead: str, line: int, column: str | None, found: str, allowed: str
) -> None:
    assert there in YAML
    problems = problems_in(small(study=YAML.replace(there, instead, 1)))
    first = next(problem for problem in problems if problem.column == column)
    assert (first.file, first.row, first.found) == ("study.yaml", line, found)
    assert allowed in first.allowed


BROKEN = [
    ("a: [1\nb: 2", 2, "b: 2"),
    ("\tattune: 1", 1, "attune: 1"),
    ("a: 1\n---\nb: 2\n", 2, "---"),
    ("", 1, "an empty file"),
    ("- 1", 1, "no keys"),
    ("a: *b", 1, "a: *b"),
    ("a: &a [*a, *a]", None, "aliases that expand without end"),
    ("a: " + "[" * 1000, None, "more than 40 levels"),
    ("a: \x07", None, "text that is not YAML"),
    (b"attune: \0", None, "a file that is not text"),
]


@pytest.mark.parametrize(("yaml", "line", "found"), BROKEN)
def test_invalid_yaml_is_one_problem_with_its_line(yaml: str | bytes, line: int | None, found: str) -> None:
    problem = only_problem(study=yaml, items="item,text\na,x\n", responses="item,source,text\na,x,y\n", ratings=None)
    assert (problem.file, problem.row, problem.found) == ("study.yaml", line, found)


def test_protocol_and_text_problems_are_listed_together() -> None:
    problems = problems_in(
        small(study=YAML.replace("attune: 1", "attune: 2"), items="item,text\na,x\na,y\n", ratings=None)
    )
    assert {problem.file for problem in problems} == {"study.yaml", "items.csv", "responses.csv"}


def test_all_parts_that_do_not_agree_are_listed_together() -> None:
    wrong = "analysis: {reference: nobody, cut: {does: 1}}\nflow: {revisit: [age]}\nsources:"
    problems = problems_in(small(study=YAML.replace("sources:", wrong, 1)))
    assert [(problem.row, problem.column, problem.found) for problem in problems] == [
        (4, "analysis.reference", "nobody"),
        (4, "analysis.cut", "does"),
        (5, "flow.revisit", "age"),
    ]


@pytest.mark.parametrize(
    ("there", "instead", "sentence"),
    [
        (
            "multiple: true}",
            "exclusive: [asks]}",
            "study.yaml, line 11, column questions.4: exclusive can be set only with multiple: true",
        ),
        (
            "sources:",
            "design: {adaptive: preference, trials_per_rater: 2}\nsources:",
            'study.yaml, line 4: design.adaptive needs at least 3 sources; found "2".',
        ),
    ],
)
def test_rule_is_not_taken_for_values_that_are_allowed(there: str, instead: str, sentence: str) -> None:
    """Both were said as "found ...; allowed: exclusive can be set only ..."."""
    problems = problems_in(small(study=YAML.replace(there, instead, 1)))
    assert problems[0].sentence().startswith(sentence)


def test_unknown_key_is_ignored_with_note() -> None:
    study = read_small(study=f"{YAML}laboratory: Room 4\n")
    assert [(note.file, note.row, note.column) for note in study.notes] == [("study.yaml", 16, "laboratory")]


def test_unknown_nested_key_is_ignored_with_note() -> None:
    study = read_small(study=f"{YAML}flow: {{consent: {{version: 1, text: x, lawyer: y}}}}\n")
    assert [(note.row, note.column) for note in study.notes] == [(16, "flow.consent.lawyer")]
    assert study.protocol.flow.consent is not None


def test_yaml_no_and_numeric_keys_are_read_as_text() -> None:
    yaml = YAML.replace("title: A small study", "title: no").replace("key: warmth", "key: 1").replace("person:", "7:")
    yaml = yaml.replace("[sad, glad]", "[no, 1.0, sad, glad]").replace("kind: model}", "kind: model, version: 3.10}")
    protocol = read_small(study=yaml, responses="item,source,text\na,7,x\n", ratings=None).protocol
    assert protocol.title == "no"
    assert list(protocol.sources) == ["7", "model-1"]
    assert protocol.sources["model-1"].attributes == {"version": "3.10"}
    assert protocol.questions[1].key == "1"
    assert isinstance(protocol.questions[1], RatingQuestion)
    assert protocol.questions[1].values == (1.0, 2.0, 3.0)
    assert isinstance(protocol.questions[4], CategoryQuestion)
    assert list(protocol.questions[4].codes) == ["no", "1.0", "sad", "glad"]


def test_protocol_text_is_kept_as_written() -> None:
    yaml = f"# Why we ask this\r\n{YAML}"
    assert read_small(study=yaml).yaml == yaml


@pytest.mark.parametrize(("language", "lines"), [("fa", [3]), ("de-CH", []), ("en", [])])
def test_language_without_translation_is_noted(language: str, lines: list[int]) -> None:
    study = read_small(study=YAML.replace("title:", f"language: {language}\ntitle:"))
    notes = [note for note in study.notes if note.column == "language"]
    assert [note.row for note in notes] == lines
    assert all("en, ar or de for the built-in texts" in note.allowed for note in notes)


def test_only_question_with_a_problem_has_no_second_problem_of_a_list_without_entries() -> None:
    text = "attune: 1\nslug: s\ntitle: S\n"
    text += "questions:\n  - {key: warm, target: item, type: rating, text: Warm?, scale: {1: a}}\n"
    problems = Problems()
    assert read_protocol(text, problems) is None
    assert [problem.column for problem in problems.list_of("study.yaml")] == ["questions.1.scale"]
