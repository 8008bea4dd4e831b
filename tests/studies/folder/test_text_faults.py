"""Items, responses and raters: what is a problem, and what only gives a note."""

import pytest

from app.analysis.data.study_folder import ITEM_COLUMNS
from tests.kit.small import ITEMS, RATERS, RESPONSES, YAML, only_problem, problems_in, read_small, small

PLAIN = YAML.split("questions:")[0] + (
    "questions:\n  - {key: warmth, target: response, type: rating, text: Warm?, scale: {1: cold, 2: mild, 3: warm}}\n"
)
NUL = r'"[{""speaker"": ""A"", ""text"": ""\u0000""}]"'


def _drawn(probability: str, is_in: str) -> str:
    """Return items, the first with these cells about the sample that people rate."""
    first, second = ([*line.split(","), "0.5", "false"] for line in ("a,One", "b,Two"))
    first[2:] = probability, is_in
    return "\n".join(["item,text,sampling_probability,in_human_sample", ",".join(first), ",".join(second), ""])


# file, its content, row, column, found, part of what is allowed
WRONG = [
    ("items", f"{ITEMS}a,Again,,,sad\n", 4, "item", "a", "each item once (first in row 2)"),
    ("items", f"{ITEMS},No id,,,sad\n", 4, "item", "", "an ID"),
    ("items", f"{ITEMS}c,,,,sad\n", 4, "text", "", "a text or turns"),
    (
        "items",
        f'{ITEMS}c,Both,"[{{""speaker"": ""A"", ""text"": ""x""}}]",,sad\n',
        4,
        "turns",
        '[{"speaker": "A", "text": "x"}]',
        "either text or turns",
    ),
    ("items", f"{ITEMS}c,,[1,,sad\n", 4, "turns", "[1", "a JSON list"),
    ("items", f"{ITEMS}c,,[],,sad\n", 4, "turns", "[]", "at least one turn"),
    ("items", f'{ITEMS}c,,"[{{""speaker"": ""A""}}]",,sad\n', 4, "turns", '[{"speaker": "A"}]', "turn 1 has no"),
    ("items", f"{ITEMS}c,,{'[' * 100_000},,sad\n", 4, "turns", "[" * 100 + "…", "nested too deeply"),
    ("items", f"{ITEMS}c,,{NUL},,sad\n", 4, "turns", "U+0000", "a database can hold"),
    ("items", f"{ITEMS}{'c' * 401},Long,,,sad\n", 4, "item", "c" * 100 + "…", "at most 400 characters"),
    ("items", f"{ITEMS}c,Short\n", 4, None, "2 cells", "5 cells, as in the header"),
    ("items", f"{ITEMS}c,Long,,,sad,more\n", 4, None, "6 cells", "5 cells, as in the header"),
    ("items", ITEMS.replace("item,", "itm,", 1), 1, "item", "itm", "a column named item"),
    ("items", "item,feels\na,sad\nb,glad\n", 1, "text", "item and feels", "a column named text or turns"),
    ("items", ITEMS.replace("profile", "text", 1), 1, "text", "2 columns with this name", "each column name once"),
    ("items", ITEMS.replace(",", ";"), 1, None, "columns separated by ';'", "separated by a comma"),
    ("items", f'{ITEMS}c,"Open,,,sad\n', None, None, "near line 4: unexpected end of data", "a closing quote"),
    ("items", "\n", 1, None, "no header", "column names in the first row"),
    ("items", b"item,text\na,\0\n", None, None, "a file that is not text", "UTF-8"),
    ("items", "item,text\na,x\n".encode("utf-16"), None, None, "text in UTF-16", "UTF-8"),
    ("items", _drawn("1.5", "true"), 2, "sampling_probability", "1.5", "above 0 and at most 1"),
    ("items", _drawn("0", ""), 2, "sampling_probability", "0", "above 0 and at most 1"),
    ("items", _drawn("half", ""), 2, "sampling_probability", "half", "above 0 and at most 1"),
    ("items", _drawn("0.5", "maybe"), 2, "in_human_sample", "maybe", "true or false"),
    (
        "items",
        "item,text,sampling_probability,sampling_stage\nb,B,0.5,2\na,A,0.5,first\n",
        3,
        "sampling_stage",
        "first",
        "the number of the stage, from 1 on",
    ),
    (
        "items",
        "item,text,sampling_probability,sampling_draws\nb,B,0.5,1:0.2|2:0.5:2\na,A,0.5,1:half\n",
        3,
        "sampling_draws",
        "1:half",
        "draws as Attune writes them",
    ),
    ("items", _drawn("", "true"), 2, "sampling_probability", "", "because it has in_human_sample"),
    ("responses", f"{RESPONSES}zz,person,Hm,z\n", 7, "item", "zz", "a or b"),
    ("responses", f"{RESPONSES}a,robot,Hm,z\n", 7, "source", "robot", "person or model-1"),
    ("responses", f"{RESPONSES}a,person,Hm,\n", 7, "response", "a:person", "each response once (first in row 2)"),
    ("responses", f"{RESPONSES}a,person,Hm,tie\n", 7, "response", "tie", "other than tie and neither"),
    ("raters", f"{RATERS}r1,person,,\n", 4, "rater", "r1", "each rater once (first in row 2)"),
    ("raters", f"{RATERS}r3,robot,,\n", 4, "kind", "robot", "person or model"),
    ("raters", RATERS.replace("kind", "kinds", 1), 1, "kind", "kinds", "a column named kind"),
]


@pytest.mark.parametrize(("file", "text", "row", "column", "found", "allowed"), WRONG)
def test_problem_names_row_column_found_and_allowed(
    file: str, text: str | bytes, row: int | None, column: str | None, found: str, allowed: str
) -> None:
    problem = only_problem(**{file: text, "ratings": None, "study": YAML if file != "items" else PLAIN})
    assert (problem.file, problem.row, problem.column, problem.found) == (f"{file}.csv", row, column, found)
    assert allowed in problem.allowed


def test_sample_is_read_as_a_program_for_spreadsheets_writes_it() -> None:
    study = read_small(study=PLAIN, items=_drawn("0.5", " TRUE"), raters=None, ratings=None)
    assert list(study.items["in_human_sample"]) == ["true", "false"]


@pytest.mark.parametrize("file", ["study", "items", "responses"])
def test_missing_file_is_named(file: str) -> None:
    problems = problems_in(small(**{file: None, "ratings": None}))
    assert ("study.yaml" if file == "study" else f"{file}.csv", "no such file") in {(f.file, f.found) for f in problems}


def test_responses_are_optional_without_response_questions() -> None:
    yaml = PLAIN.replace("target: response", "target: item")
    ratings = "rater,item,question,value\nr1,a,warmth,2\n"
    study = read_small(study=yaml, responses=None, raters=None, ratings=ratings)
    assert (len(study.responses), len(study.ratings)) == (0, 1)


def test_trimmed_ids_are_noted_once_per_column() -> None:
    study = read_small(raters=RATERS.replace("r1", " r1 ").replace("r2", "r2\u00a0"))
    assert list(study.raters["rater"]) == ["r1", "r2"]
    assert [(note.row, note.column, note.found) for note in study.notes] == [(2, "rater", " r1 ")]
    assert "trimmed in 2 rows" in study.notes[0].allowed


def test_empty_response_is_a_warning() -> None:
    study = read_small(responses=f"{RESPONSES}b,person,,b4\n")
    assert [(note.row, note.column, note.severity) for note in study.notes] == [(7, "text", "warning")]
    assert list(study.responses["text"])[-1] == ""


def test_other_columns_are_attributes_sorted_by_name() -> None:
    study = read_small(
        items=ITEMS.replace("feels", "feels,domain,empty").replace(",sad", ",sad,home,").replace(",glad", ",glad,,")
    )
    assert list(study.items.columns) == [*ITEM_COLUMNS, "domain", "feels"]
    assert list(study.items["domain"]) == ["home", None]


def test_simulated_rater_stays_marked() -> None:
    study = read_small(raters="rater,kind,is_simulated\nr1,person,true\nr2,person,\n")
    assert list(study.raters["is_simulated"]) == [True, False]
    problem = only_problem(raters="rater,kind,is_simulated\nr1,person,perhaps\nr2,person,\n")
    assert (problem.row, problem.column, problem.found) == (2, "is_simulated", "perhaps")


def test_formula_id_is_read_as_text() -> None:
    study = read_small(items=ITEMS.replace("a,I", "=1+1,I"), responses=RESPONSES.replace("a,", "=1+1,"), ratings=None)
    assert list(study.responses["response"])[:2] == ["=1+1:person", "=1+1:model-1"]


def test_answer_key_must_use_declared_codes() -> None:
    problem = only_problem(items=ITEMS.replace(",sad", ",blue"), ratings=None)
    assert (problem.file, problem.row, problem.column) == ("items.csv", 2, "feels")
    assert (problem.found, problem.allowed) == ("blue", "sad or glad")
    problem = only_problem(items=ITEMS.replace("feels", "felt"), ratings=None)
    assert (problem.file, problem.column, problem.found) == ("study.yaml", "questions.5.correct_column", "feels")


def test_answer_key_of_highlight_must_be_offsets() -> None:
    yaml = YAML.replace("options: [sad, glad], correct_column: feels", "options: [sad, glad]").replace(
        "  - {key: why,",
        "  - {key: cause, target: item, type: highlight, text: Mark it., correct_column: feels}\n  - {key: why,",
    )
    items = ITEMS.replace(",sad", ",0-4").replace(",glad", ",the first words")
    problem = only_problem(study=yaml, items=items, ratings=None)
    assert (problem.file, problem.row, problem.column, problem.found) == ("items.csv", 3, "feels", "the first words")
    assert problem.allowed is not None
    assert problem.allowed.startswith("character offsets")
    beyond = only_problem(study=yaml, items=ITEMS.replace(",sad", ",0-4444").replace(",glad", ","), ratings=None)
    assert (beyond.row, beyond.column, beyond.found) == (2, "feels", "0-4444")
    assert beyond.allowed is not None
    assert beyond.allowed.startswith("passages within the text, which has ")


def test_responses_without_any_item_say_that_there_is_none() -> None:
    problem = problems_in(small(items="item,text\n", ratings=None, study=PLAIN))[0]
    assert (problem.file, problem.row, problem.allowed) == ("responses.csv", 2, "an item in items.csv, which has none")


def _notes(design: str, responses: str, items: str = ITEMS) -> list[str]:
    yaml = PLAIN.replace("sources:", f"design: {design}\nsources:", 1)
    study = read_small(study=yaml, items=items, responses=responses, ratings=None)
    return [note.sentence() for note in study.notes]


def test_item_that_cannot_be_a_pair_is_noted() -> None:
    alone = RESPONSES.replace("a,person,Oh no!,\n", "")
    assert _notes("{trials: pairs}", RESPONSES) == []
    assert _notes("{trials: single}", alone) == []
    (note,) = _notes("{trials: pairs}", alone)
    assert 'items.csv, row 2, column item: found "a"; allowed: items with two responses' in note


def test_item_without_the_reference_is_noted_if_each_pair_needs_it() -> None:
    alone = RESPONSES.replace("b,model-1,Best.,b3\n", "")
    assert _notes("{trials: pairs}", alone) == []
    (note,) = _notes("{trials: pairs, pairs: reference}", alone)
    assert 'row 3, column item: found "b"; allowed: items with a response of the reference' in note


def test_practice_items_need_no_pair() -> None:
    practice = "{practice: {trials: [{item: a, expect: {warmth: 3}, feedback: Warm.}]}}"
    alone = RESPONSES.replace("a,person,Oh no!,\n", "")
    assert not any("pairs" in note for note in _notes(f"{{trials: pairs}}\nflow: {practice}", alone))
