"""A dropped spreadsheet: kept as a draft, described, its problems settled, and made a study by one choice."""

import io
import itertools
import json
import re
from collections.abc import Sequence
from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from httpx2 import Response
from openpyxl import Workbook
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from tests.studies.web.test_new_study import n_studies

HEADER = ("Nr.", "Beitrag", "Antwort Beraterin", "GPT-4o reply", "Llama 3 reply", "Thema")


def long_text(start: str, n_words: int = 340) -> str:
    return f"{start} " + " ".join(f"Wörter{n}" for n in range(n_words))


def awkward() -> list[Sequence[str]]:
    """Thirty posts, a duplicate row, an empty cell, a text under two sources and one that reveals its source."""
    rows = [
        [str(n), long_text(f"Beitrag {n}: Ich fühle mich müde."), *(long_text(f"{who} {n}") for who in "BGL"), "Schule"]
        for n in range(1, 31)
    ]
    rows[4][3] = ""
    rows[6][4] = rows[6][3]
    rows[8][3] = "As an AI language model, I am sorry."
    rows.append(["31", *rows[2][1:]])
    return [HEADER, *rows]


def excel(*sheets: Sequence[Sequence[str]]) -> bytes:
    book, buffer = Workbook(write_only=True), io.BytesIO()
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(list(row))
    book.save(buffer)
    return buffer.getvalue()


def csv(rows: Sequence[Sequence[str]]) -> bytes:
    return pd.DataFrame([[*row] for row in rows[1:]], columns=[*rows[0]]).to_csv(index=False).encode()


def drop(client: TestClient, content: bytes, name: str = "posts_and_replies.xlsx") -> Response:
    return client.post("/studies/new/sheets", files={"sheet": (name, content)})


def dropped(client: TestClient, content: bytes, name: str = "posts_and_replies.xlsx") -> str:
    answer = drop(client, content, name)
    assert answer.status_code == 303, re.findall(r'<td class="found">.*?</td>', answer.text, re.DOTALL)
    return answer.headers["location"]


def make(client: TestClient, page: str, template: str, **fields: str) -> str:
    answer = client.post(page, data={"template": template, **fields})
    assert answer.status_code == 303, re.findall(r'<p class="notice error".*?</p>', answer.text, re.DOTALL)
    return answer.headers["location"]


def responses(db: Connection) -> list[tuple[str, str, str]]:
    query = text(
        "SELECT i.key, s.key, coalesce(r.text, r.turns::text) FROM responses r JOIN items i ON i.id = r.item_id"
        " JOIN sources s ON s.id = r.source_id ORDER BY r.position"
    )
    return [tuple(row) for row in db.execute(query)]


def protocol(db: Connection) -> dict[str, Any]:
    document: dict[str, Any] = db.execute(
        text("SELECT document FROM protocols ORDER BY study_id DESC, version DESC LIMIT 1")
    ).scalar_one()
    return document


def test_awkward_sheet_becomes_the_study_that_was_meant(client: TestClient, db: Connection) -> None:
    page = dropped(client, excel(awkward()))
    shown = client.get(page).text
    for words in ("the same texts as row 4", "an empty response", "the same text as the response of", "may reveal"):
        assert words in shown
    assert make(client, page, "ayers-pair") == "/studies/posts-and-replies/design/questions"
    rows = awkward()
    meant = [
        (row[0], source, row[place])
        for row in rows[1:31]
        for place, source in ((2, "Antwort Beraterin"), (3, "GPT-4o"), (4, "Llama 3"))
        if row[place]
    ]
    assert responses(db) == meant
    items = db.execute(text("SELECT key, text, attributes FROM items ORDER BY position")).all()
    assert [tuple(item) for item in items] == [(row[0], row[1], {"Thema": "Schule"}) for row in rows[1:31]]
    said = protocol(db)
    assert said["title"] == "Posts and replies"
    assert {key: source["kind"] for key, source in said["sources"].items()} == {
        "Antwort Beraterin": "human",
        "GPT-4o": "model",
        "Llama 3": "model",
    }
    assert said["analysis"]["reference"] == "Antwort Beraterin"
    assert said["design"]["pairs"] == "reference"
    raters_read = json.dumps([said["title"], said["rater_title"], said["instructions"], said["questions"]]).casefold()
    assert not [word for word in ("patient", "bedside", "health") if word in raters_read]
    assert "health" not in said["flow"]["consent"]["text"]
    detail = db.execute(text("SELECT detail FROM audit_log WHERE action = 'made from a spreadsheet'")).scalar_one()
    assert "row 32, Beitrag: the same texts as row 4 (drop)" in detail["choices"]


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("0", 'found "0"; allowed: a probability above 0 and at most 1.'),
        ("1.5", 'found "1.5"; allowed: a probability above 0 and at most 1.'),
        ("half", 'found "half"; allowed: a probability above 0 and at most 1.'),
        ("", "found an empty cell; allowed: the item's probability, because it has in_human_sample."),
    ],
)
def test_sampling_probability_that_is_none_is_named_on_the_page(
    client: TestClient, db: Connection, cell: str, said: str
) -> None:
    """Of an empty cell, the page named neither the file nor the row."""
    header = ("Beitrag", "Antwort Beraterin", "GPT-4o reply", "sampling_probability", "in_human_sample")
    rows = [[*(long_text(f"{who} {n}") for who in "TBG"), "0.5" if n != 1 else cell, "TRUE"] for n in range(4)]
    answer = client.post(dropped(client, csv([header, *rows]), "posts.csv"), data={"template": "ayers-pair"})
    assert f"posts.csv, row 3, column sampling_probability: {said}" in unescape(answer.text)
    assert n_studies(db) == 0


@pytest.mark.parametrize("other", ["1.5", ""])
def test_rows_of_an_item_that_disagree_about_its_sample_are_named(client: TestClient, other: str) -> None:
    """Only the first row of an item was read, and a column that differs between raters was left out."""
    header = ("rater", "ID", "Situation", "source", "Response", "Empathy", "sampling_probability")
    rows = [
        [rater, str(n), long_text(f"Post {n}"), source, long_text(f"{source} {n}"), str(1 + n % 4), "0.5"]
        for n in range(4)
        for source in ("Counselor", "GPT-4")
        for rater in ("anna", "ben")
    ]
    rows[2][-1] = other
    answer = drop(client, csv([header, *rows]), "posts.csv")
    assert answer.status_code == 422
    shown = " ".join(unescape(re.sub("<[^>]+>", " ", answer.text)).split())
    said = "the same in every row of an item (row 2 has 0.5)"
    assert f"posts.csv 4 sampling_probability {other or 'an empty cell'} {said}" in shown


def test_study_cannot_be_opened_with_instructions_that_nobody_wrote(client: TestClient) -> None:
    make(client, dropped(client, excel(awkward())), "four-dimensions")
    answer = client.post("/studies/posts-and-replies/status", data={"status": "open"})
    assert answer.status_code != 303
    assert "Say here what raters read and judge" in answer.text


def test_choices_are_kept_in_the_draft_and_carried_out(client: TestClient, db: Connection) -> None:
    page = dropped(client, excel(awkward()))
    choices = {"act.6.3": "edit", "edit.6.3": "Neu geschrieben", "act.10.3": "drop", "act.32.1": "keep"}
    assert client.post(page, data=choices).headers["location"] == page
    assert "Neu geschrieben" in client.get(page).text
    make(client, page, "four-dimensions", **choices)
    found = {(item, source): words for item, source, words in responses(db)}
    assert found["5", "GPT-4o"] == "Neu geschrieben"
    assert ("9", "GPT-4o") not in found
    assert ("31", "GPT-4o") in found


def test_second_click_makes_no_second_study(client: TestClient, db: Connection) -> None:
    page = dropped(client, csv(awkward()), "posts.csv")
    first = make(client, page, "four-dimensions")
    assert make(client, page, "four-dimensions") == first
    assert n_studies(db) == 1
    assert make(client, page, "ayers-pair") == "/studies/posts-2/design/questions"


def test_other_role_and_source_are_used(client: TestClient, db: Connection) -> None:
    page = dropped(client, csv(awkward()), "posts.csv")
    fields = {"role.4": "ignore", "source.2": "Counselor", "kind.2": "human"}
    make(client, page, "ayers-pair", **fields)
    assert {source for _, source, _ in responses(db)} == {"Counselor", "GPT-4o"}


def test_sheet_of_an_excel_file_is_chosen(client: TestClient, db: Connection) -> None:
    other = [("Question", "Nurse reply"), ("I cannot sleep at night", "Try to rest, and tell me more")]
    page = dropped(client, excel(awkward(), other))
    assert client.post(page, data={"sheet": "1"}).status_code == 303
    assert "Nurse reply" in client.get(page).text
    make(client, page, "four-dimensions")
    assert [(source, words) for _, source, words in responses(db)] == [("Nurse", other[1][1])]
    assert client.get("/studies/new/posts-and-replies/texts").status_code == 200


def test_rows_of_responses_become_items(client: TestClient, db: Connection) -> None:
    rows = [("id", "post", "model", "reply")]
    rows += [(str(n), long_text(f"P{n}"), who, long_text(f"{who} {n}")) for n in range(3) for who in ("Nurse", "GPT-4")]
    page = dropped(client, csv(rows), "long.csv")
    make(client, page, "ayers-pair")
    assert len(responses(db)) == 6
    kinds = {tuple(row) for row in db.execute(text("SELECT key, kind FROM sources"))}
    assert kinds == {("Nurse", "human"), ("GPT-4", "model")}


def test_dialogues_in_json_lines(client: TestClient, db: Connection) -> None:
    turns = [{"speaker": "Seeker", "text": "I missed my exam."}, {"speaker": "Supporter", "text": "Oh no. What now?"}]
    record = {"id": "a", "situation": "A student missed an exam.", "Counselor": turns, "GPT-4o": turns}
    lines = "\n".join(json.dumps({**record, "id": key, "situation": f"{key} missed an exam."}) for key in "abc")
    page = dropped(client, lines.encode(), "talks.jsonl")
    shown = client.get(page).text
    assert shown.index("Rate whole conversations") < shown.index("Compare two responses")
    make(client, page, "perceived-empathy")
    assert db.execute(text("SELECT count(*) FROM responses WHERE turns IS NOT NULL")).scalar_one() == 6
    assert len(protocol(db)["questions"]) == 9


def test_headings_of_a_sheet_with_the_source_in_each_row_skip_no_level(client: TestClient) -> None:
    shown = client.get(dropped(client, csv(RATED), "rated.csv")).text
    levels = [int(level) for level in re.findall(r"<h([1-6])[ >]", shown)]
    assert all(below <= above + 1 for above, below in itertools.pairwise(levels)), levels


TURNS = [("User", "I feel tired."), ("Helper", "Tell me more."), ("User", "It is the exams.")]


@pytest.mark.parametrize("sources", [("Counselor", "GPT-4o"), ()])
def test_rows_of_turns_become_conversations(client: TestClient, db: Connection, sources: tuple[str, ...]) -> None:
    rows = [
        {"conversation_id": str(n), "turn": place, "speaker": who, "text": f"{words} {source} {n}"}
        | ({"model": source} if source else {})
        for n in range(1, 9)
        for source in sources or ("",)
        for place, (who, words) in reversed([*enumerate(TURNS)])
    ]
    page = dropped(client, "\n".join(json.dumps(row) for row in rows).encode(), "talks.jsonl")
    shown = client.get(page).text
    assert f"One row per turn ({len(rows)} rows): the rows were joined" in shown
    make(client, page, "perceived-empathy")
    stored = responses(db)
    assert {row[:2] for row in stored} == {(str(n), who) for n in range(1, 9) for who in sources or ("Conversation",)}
    assert [turn["speaker"] for turn in json.loads(stored[0][2])] == ["User", "Helper", "User"]
    items = db.execute(text("SELECT text FROM items ORDER BY position")).scalars().all()
    assert len(items) == 8
    # The title is the file's name until the lead has written one.
    assert "title to be checked" in client.get("/studies/talks/design/study").text
    assert all(words.startswith("I feel tired.") for words in items)
    assert len(protocol(db)["questions"]) == 9


def test_ratings_with_a_column_per_rater_wait_for_the_questions(client: TestClient, db: Connection) -> None:
    rows = [("id", "post", "model", "reply", "rater 1 rating", "rater 2 rating")]
    rows += [(str(n), long_text(f"P{n}"), who, long_text(f"{who} {n}"), "3", "4") for n in range(3) for who in "AB"]
    page = dropped(client, csv(rows), "rated.csv")
    assert "Ratings in this sheet" in client.get(page).text
    make(client, page, "four-dimensions")
    assert "Import ratings" in client.get("/studies/new/rated/texts").text


def test_many_sources_with_kinds_from_their_names(client: TestClient, db: Connection) -> None:
    names = ["Human", *(f"llama-{m}b" for m in range(25))]
    rows = [("id", "post", "source", "reply")]
    rows += [(str(n), long_text(f"P{n}"), who, long_text(f"{who} {n}")) for n in range(4) for who in names]
    page = dropped(client, csv(rows), "many.csv")
    shown = client.get(page).text
    assert "This sheet has 26 sources." in shown
    make(client, page, "four-dimensions")
    kinds = list(db.execute(text("SELECT kind FROM sources")).scalars())
    assert (kinds.count("human"), kinds.count("model")) == (1, 25)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj", "PDF"),
        ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(64), "a spreadsheet"),
        ("a.csv", b"", "a.csv"),
        ("a.csv", b"id,text\n", "no rows below the column names"),
    ],
)
def test_file_that_is_no_spreadsheet_is_refused(client: TestClient, name: str, content: bytes, words: str) -> None:
    answer = drop(client, content, name)
    assert answer.status_code == 422
    assert words in answer.text


def test_missing_file_is_reported(client: TestClient) -> None:
    answer = drop(client, b"", "")
    assert answer.status_code == 422
    assert "a spreadsheet: .xlsx" in answer.text
    assert client.get("/studies/new/sheets").headers["location"] == "/studies"


@pytest.mark.parametrize(
    ("rows", "missing"),
    [
        ([("id", "a", "b"), ("1", "4", "2"), ("2", "5", "3")], "No column holds texts: each was taken for numbers"),
        ([("id", "post"), ("1", long_text("a")), ("2", long_text("b"))], "No column holds responses, so there is"),
        (
            [("post", "source", "reply"), (long_text("a"), "Anna", "Ok"), (long_text("a"), "GPT", "No")],
            "“source” says who wrote the response of each row, but no column holds the responses.",
        ),
        (
            [("item id", "model", "warmth rating"), ("1", "Anna", "4"), ("1", "GPT", "2"), ("2", "Anna", "3")],
            "This sheet has ratings, but no texts. Add columns with the situations and the responses",
        ),
    ],
)
def test_sheet_without_responses_says_what_to_choose(
    client: TestClient, rows: list[tuple[str, ...]], missing: str
) -> None:
    page = client.get(dropped(client, csv(rows), "posts.csv")).text
    assert missing in page
    assert "Make this study" not in page


def test_id_that_is_there_twice_is_named_with_the_column_of_the_sheet(client: TestClient) -> None:
    rows = [(f"S{min(n, 19)}", *(long_text(f"{who} {n}") for who in "PNG")) for n in range(1, 21)]
    page = dropped(client, csv([("Nr.", "post", "Nurse", "GPT-4o"), *rows]), "posts.csv")
    problems = unescape(client.post(page, data={"template": "ayers-pair"}).text)
    assert 'posts.csv, row 21, column Nr.: found "S19"; allowed: each item once (first in row 20).' in problems
    assert problems.count("; allowed: ") == 1  # not one more for each response


@pytest.mark.parametrize(
    ("n_ids", "done"),
    [
        (19, "correct the file, or choose “Leave out” above the column to number items by their rows."),
        (12, "so it was read as an attribute, and items are numbered by their rows."),
    ],
)
def test_ids_that_several_rows_have_are_said_before_the_study_is_made(
    client: TestClient, n_ids: int, done: str
) -> None:
    """The column became an attribute without a word, or the study could not be made."""
    rows = [(f"S{min(n, n_ids)}", *(long_text(f"{who} {n}") for who in "PNG")) for n in range(1, 21)]
    page = dropped(client, csv([("Nr.", "post", "Nurse", "GPT-4o"), *rows]), "posts.csv")
    said = f"Several rows have the same ID in “Nr.”, such as S{n_ids}: {done}"
    assert said in unescape(client.get(page).text)
    client.post(page, data={"role.0": "ignore"})
    assert "the same ID" not in client.get(page).text


def test_sheet_without_responses_fits_no_goal(client: TestClient) -> None:
    page = dropped(client, csv([("id", "post"), ("1", long_text("a")), ("2", long_text("b"))]), "posts.csv")
    answer = client.post(page, data={"template": "ayers-pair"})
    assert answer.status_code == 422
    assert "This sheet has no source." in answer.text


def test_sheet_without_a_situation_says_so(client: TestClient) -> None:
    page = dropped(client, csv(awkward()), "posts.csv")
    answer = client.post(page, data={"template": "ayers-pair", "role.1": "ignore"})
    assert answer.status_code == 422
    assert "No column holds the situation" in answer.text


def test_same_source_in_two_columns_is_refused_and_input_kept(client: TestClient) -> None:
    page = dropped(client, csv(awkward()), "posts.csv")
    answer = client.post(page, data={"source.2": "GPT-4o"})
    assert answer.status_code == 422
    assert "each source in one column" in answer.text


def test_title_above_the_names_is_said(client: TestClient) -> None:
    page = dropped(client, excel([("Posts of our study",), *awkward()]))
    assert "Posts of our study" in client.get(page).text


def test_merged_cells_are_repeated_and_said(client: TestClient, db: Connection) -> None:
    book, buffer = Workbook(), io.BytesIO()
    sheet = book.worksheets[0]
    rows = [("id", "post", "model", "reply")]
    rows += [(str(n), long_text(f"P{n}"), who, long_text(f"{who} {n}")) for n in range(3) for who in ("Nurse", "GPT-4")]
    for row in rows:
        sheet.append(row)
    for first in (2, 4, 6):
        for column in "AB":
            sheet.merge_cells(f"{column}{first}:{column}{first + 1}")
    book.save(buffer)
    page = dropped(client, buffer.getvalue(), "merged.xlsx")
    assert "Merged cells (A2:A3, B2:B3, A4:A5, B4:B5, A6:A7 and 1 more)" in client.get(page).text
    make(client, page, "ayers-pair")
    found = responses(db)
    assert len(found) == 6
    assert {item for item, _, _ in found} == {"0", "1", "2"}


@pytest.mark.parametrize(
    "second", [("", "text", "reply", "reply", "reply", ""), ("ID", "post", "a", "b", "c", "topic")]
)
def test_second_row_of_names_is_left_out_and_said(client: TestClient, db: Connection, second: tuple[str, ...]) -> None:
    rows = awkward()
    page = dropped(client, excel([rows[0], second, *rows[1:]]))
    shown = client.get(page).text
    assert "A second row of column names" in shown
    assert "the second row was left out" in shown
    make(client, page, "four-dimensions")
    assert responses(db)[0][0] == "1"
    assert db.execute(text("SELECT count(*) FROM items")).scalar_one() == 30


def test_short_first_row_of_texts_stays(client: TestClient) -> None:
    rows = awkward()
    rows[1] = [rows[1][0], "Bin müde.", *(long_text(who) for who in "BGL"), rows[1][-1]]
    assert "second row of column names" not in client.get(dropped(client, excel(rows))).text


def test_number_is_an_id_though_a_row_is_there_twice(client: TestClient, db: Connection) -> None:
    rows = awkward()
    rows[-1] = [rows[3][0], *rows[-1][1:]]
    page = dropped(client, csv(rows), "posts.csv")
    assert re.search(r'name="role.0".*?value="item"\s+selected', client.get(page).text, re.DOTALL)
    make(client, page, "four-dimensions")
    assert list(db.execute(text("SELECT key FROM items ORDER BY position")).scalars()) == [str(n) for n in range(1, 31)]


def test_large_sheet(client: TestClient) -> None:
    rows = [("post", "Nurse reply", "GPT-4 reply")]
    rows += [
        (f"I feel alone, number {n}", f"Tell me more about it, {n}", f"I am sorry to hear, {n}") for n in range(40_000)
    ]
    page = dropped(client, csv(rows), "large.csv")
    assert "40,000 rows" in client.get(page).text


def test_other_lead_does_not_see_the_file(client: TestClient, db: Connection) -> None:
    page = dropped(client, csv(awkward()), "posts.csv")
    db.execute(text("UPDATE sheet_drafts SET uploaded_at = now() - interval '25 hours'"))
    assert client.get(page).status_code == 422
    assert "no longer kept" in client.post(page, data={}).text
    for _ in range(7):
        dropped(client, csv(awkward()), "posts.csv")
    assert db.execute(text("SELECT count(*) FROM sheet_drafts")).scalar_one() == 5


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b\\c.csv", "\u202egnp.csv", "x" * 300 + ".csv", ".csv"])
def test_hostile_file_name_is_harmless(client: TestClient, name: str) -> None:
    make(client, dropped(client, csv(awkward()), name), "four-dimensions")


def test_parquet_file_is_read(client: TestClient, db: Connection, tmp_path: Path) -> None:
    pd.read_csv(io.BytesIO(csv(awkward()))).to_parquet(tmp_path / "a", index=False)
    make(client, dropped(client, (tmp_path / "a").read_bytes(), "posts.parquet"), "four-dimensions")
    assert db.execute(text("SELECT count(*) FROM items")).scalar_one() == 30


def kept_ratings(db: Connection) -> set[tuple[str, ...]]:
    """Rater, item, source, question and answer."""
    query = text(
        "SELECT w.key, i.key, s.key, r.question, r.number::float::text FROM ratings r"
        " JOIN raters w ON w.id = r.rater_id JOIN items i ON i.id = r.item_id"
        " JOIN responses p ON p.id = r.response_id JOIN sources s ON s.id = p.source_id"
    )
    return {tuple(row) for row in db.execute(query)}


RATED = [
    ("post_id", "post", "system", "reply", "Rater A", "Rater B", "R3"),
    *(
        (
            f"p{n}",
            long_text(f"Post {n}.", 20),
            source,
            long_text(f"{source} {n}.", 20),
            *(f"{n + k}" for k in (0, 1, 2)),
        )
        for n in (1, 2, 3)
        for source in ("nurse", "gpt-4")
    ),
]


def test_ratings_of_one_column_per_rater_are_imported_as_guessed(client: TestClient, db: Connection) -> None:
    page = dropped(client, csv(RATED), "rated.csv")
    roles = re.findall(r'name="role[^>]*>.*?value="(\w+)"\s+selected', client.get(page).text, re.DOTALL)
    assert roles == ["item", "text", "source", "response", *["rating"] * 3]
    assert make(client, page, "four-dimensions") == "/studies/rated/design/questions"
    ratings = "/studies/new/rated/ratings"
    form = {f"question.{n}": "emotional_understanding" for n in range(3)}
    form |= {f"rater.{n}": name for n, name in enumerate(RATED[0][4:])}
    shown = " ".join(client.get(ratings).text.split())
    assert shown.count('<option value="emotional_understanding" selected>') == 3
    for name in RATED[0][4:]:
        assert f'value="{name}" aria-label="Rater of {name}"' in shown
    assert client.post(ratings, data=form | {"import": "1"}).status_code == 303
    wanted = {
        (RATED[0][place], row[0], row[2], "emotional_understanding", row[place])
        for row in RATED[1:]
        for place in (4, 5, 6)
    }
    assert kept_ratings(db) == wanted


def test_dialogues_of_two_sources_are_recognized_from_rows_of_turns(client: TestClient, db: Connection) -> None:
    turns = [
        {
            "conversation": f"c{n}",
            "model": model,
            "speaker": "me" if turn % 2 else "you",
            "text": f"I say {turn} of {n}.",
        }
        for n in range(1, 5)
        for model in ("nurse", "gpt-4")
        for turn in range(1, 6)
    ]
    page = dropped(client, "\n".join(map(json.dumps, turns)).encode(), "talks.jsonl")
    roles = re.findall(r'name="role[^>]*>.*?value="(\w+)"\s+selected', client.get(page).text, re.DOTALL)
    assert roles == ["item", "source", "text", "response"]
    assert make(client, page, "perceived-empathy") == "/studies/talks/design/questions"
    kept = responses(db)
    assert [one[:2] for one in kept[:3]] == [("c1", "nurse"), ("c1", "gpt-4"), ("c2", "nurse")]
    assert [turn["text"] for turn in json.loads(kept[1][2])] == [f"I say {n} of 1." for n in range(1, 6)]


NAMES = ("Anna", "Ben", "R1", "Coder 2")


def _texts(n: int, source: str) -> tuple[str, ...]:
    return (f"p{n}", long_text(f"Post {n}.", 20), source, long_text(f"{source} {n}.", 20))


def _value(n: int, source: str, rater: str, asked: str = "") -> str:
    return str(1 + (n * 3 + len(source) + NAMES.index(rater) + len(asked)) % 5)


_ROWS = [(n, source) for n in range(1, 5) for source in ("nurse", "gpt-4")]
_HEAD = ("post_id", "post", "system", "reply")
COLLECTED = {
    "columns of raters": (
        [(*_HEAD, *NAMES), *((*_texts(*row), *(_value(*row, name) for name in NAMES)) for row in _ROWS)],
        {"rating": ""},
    ),
    "columns of raters and questions": (
        [
            (*_HEAD, *(f"{asked} {name}" for asked in ("Empathy", "Clarity") for name in NAMES)),
            *(
                (*_texts(*row), *(_value(*row, name, asked) for asked in ("Empathy", "Clarity") for name in NAMES))
                for row in _ROWS
            ),
        ],
        {"empathy": "Empathy", "clarity": "Clarity"},
    ),
    "rows of ratings": (
        [
            ("rater_id", *_HEAD, "Empathy", "Clarity of words", "rater age", "seconds"),
            *(
                (
                    name,
                    *_texts(*row),
                    _value(*row, name, "Empathy"),
                    _value(*row, name, "Clarity of words"),
                    age,
                    f"{n}",
                )
                for n, row in enumerate(_ROWS)
                for name, age in zip(NAMES, ("30", "40", "50", "60"), strict=True)
            ),
        ],
        {"empathy": "Empathy", "clarity_of_words": "Clarity of words"},
    ),
    "rows of answers": (
        [
            (*_HEAD, "annotator", "dimension", "score"),
            *(
                (*_texts(*row), name, asked, _value(*row, name, asked))
                for row in _ROWS
                for name in NAMES
                for asked in ("Empathy", "Clarity")
            ),
        ],
        {"empathy": "Empathy", "clarity": "Clarity"},
    ),
    "columns of sources": (
        [
            ("post", "nurse reply", "gpt-4 reply", *(f"{name} {of}" for name in NAMES for of in ("nurse", "gpt-4"))),
            *(
                (
                    _texts(n, "")[1],
                    *(_texts(n, of)[3] for of in ("nurse", "gpt-4")),
                    *(_value(n, of, name) for name in NAMES for of in ("nurse", "gpt-4")),
                )
                for n in range(1, 5)
            ),
        ],
        {"rating": ""},
    ),
}


@pytest.mark.parametrize("shape", COLLECTED)
def test_collected_ratings_become_a_study_with_just_their_questions(
    client: TestClient, db: Connection, shape: str
) -> None:
    rows, asked = COLLECTED[shape]
    page = dropped(client, csv(rows), "rated.csv")
    assert make(client, page, "ratings") == "/studies/rated/results"
    has_ids = rows[0][0] != "post"
    wanted = {
        (name, f"p{n}" if has_ids else str(n), source, key, _value(n, source, name, words))
        for n, source in _ROWS
        for name in NAMES
        for key, words in asked.items()
    }
    assert kept_ratings(db) == wanted
    made = protocol(db)
    assert [one["key"] for one in made["questions"]] == [*asked]
    assert all([point["value"] for point in one["scale"]["points"]] == [1, 2, 3, 4, 5] for one in made["questions"])
    assert made["analysis"]["reference"] == "nurse"
    assert make(client, page, "ratings") == "/studies/rated/results"


def test_scale_of_collected_ratings_is_corrected_before_they_are_imported(client: TestClient, db: Connection) -> None:
    page = dropped(client, csv(COLLECTED["columns of raters"][0]), "rated.csv")
    assert client.post(page, data={"low.0": "0", "high.0": "4"}).status_code == 303
    assert 'name="high.0"' in client.get(page).text
    make(client, page, "ratings", **{"low.0": "0", "high.0": "7"})
    assert [one["value"] for one in protocol(db)["questions"][0]["scale"]["points"]] == [*range(8)]


def test_collected_ratings_without_a_rater_ask_for_one(client: TestClient, db: Connection) -> None:
    rows = [(*_HEAD, "Empathy rating"), *((*_texts(*row), _value(*row, "Anna")) for row in _ROWS)]
    page = dropped(client, csv(rows), "rated.csv")
    assert "Enter the rater of each column of ratings" in client.get(page).text
    refused = client.post(page, data={"template": "ratings"})
    assert refused.status_code == 422
    assert "Enter the rater" in refused.text
    make(client, page, "ratings", **{"rater.4": "Anna"})
    assert {one[0] for one in kept_ratings(db)} == {"Anna"}


def test_codes_for_no_answer_are_shown_and_left_out_of_the_ratings(client: TestClient, db: Connection) -> None:
    """The lowest point became -1, and -1 entered the means without a word."""
    head, *rows = COLLECTED["columns of raters"][0]
    coded = [(*row[:4], "-1" if n < 2 else row[4], "NA" if n == 2 else row[5], *row[6:]) for n, row in enumerate(rows)]
    page = dropped(client, csv([head, *coded]), "rated.csv")
    shown = " ".join(client.get(page).text.split())
    assert "Values that may be no answers" in shown
    assert [unescape(one) for one in re.findall(r'aria-label="Read (.*?) in Rating as"', shown)] == ["−1", "NA"]
    refused = client.post(page, data={"template": "ratings"})
    assert (refused.status_code, n_studies(db)) == (422, 0)
    assert "Some values of Rating may be no answers." in refused.text
    said = {"recode.0.question": "Rating", "recode.0.found": "-1", "recode.0.value": "skip"}
    said |= {"recode.1.question": "Rating", "recode.1.found": "NA", "recode.1.value": "skip"}
    assert make(client, page, "ratings", **said) == "/studies/rated/results"
    points = [one["value"] for one in protocol(db)["questions"][0]["scale"]["points"]]
    assert points == [1, 2, 3, 4, 5]
    kept = kept_ratings(db)
    assert len(kept) == len(rows) * len(NAMES) - 3
    assert {float(one[-1]) for one in kept} <= {*points}
    detail = db.execute(text("SELECT detail FROM audit_log WHERE action = 'made from a spreadsheet'")).scalar_one()
    assert "Rating: −1 in 2 cells (no answer)" in detail["choices"]
    assert client.get("/studies/new/rated/ratings").text.count('<option value="skip" selected>') == 2


def test_values_outside_a_scale_that_was_a_slip_are_answers_again(client: TestClient, db: Connection) -> None:
    page = dropped(client, csv(COLLECTED["columns of raters"][0]), "rated.csv")
    slip = client.post(page, data={"template": "ratings", "low.0": "3", "high.0": "5"})
    assert (slip.status_code, n_studies(db)) == (422, 0)
    form = {f"recode.{at}.question": "Rating" for at in range(2)}
    form |= {f"recode.{at}.found": str(at + 1) for at in range(2)}
    listed = form | {"recode.0.value": "skip", "recode.1.value": "answer", "low.0": "3", "high.0": "5"}
    client.post(page, data=listed)
    shown = client.get(page).text
    assert re.findall(r'name="low.0".*?value="(.*?)"', shown, re.DOTALL) == ["2"]
    assert re.findall(r'aria-label="Read (.*?) in Rating as"', shown) == ["1"]
    client.post(page, data={"low.0": "3", "high.0": "5"})
    assert re.findall(r'aria-label="Read (.*?) in Rating as"', client.get(page).text) == ["1", "2"]
    make(client, page, "ratings", **{"low.0": "1", "high.0": "5"})
    assert len(kept_ratings(db)) == len(_ROWS) * len(NAMES)


def test_code_that_is_an_answer_is_imported(client: TestClient, db: Connection) -> None:
    head, *rows = COLLECTED["columns of raters"][0]
    page = dropped(client, csv([head, (*rows[0][:4], "-1", *rows[0][5:]), *rows[1:]]), "rated.csv")
    said = {"recode.0.question": "Rating", "recode.0.found": "-1", "recode.0.value": "answer"}
    assert client.post(page, data=said).status_code == 303
    assert re.findall(r'name="low.0".*?value="(.*?)"', client.get(page).text, re.DOTALL) == ["-5"]
    assert make(client, page, "ratings", **said, **{"low.0": "-1", "high.0": "5"}) == "/studies/rated/results"
    assert [one["value"] for one in protocol(db)["questions"][0]["scale"]["points"]] == [*range(-1, 6)]
    assert len(kept_ratings(db)) == len(rows) * len(NAMES)


def test_scale_below_zero_is_shown_with_a_minus_sign(client: TestClient) -> None:
    head, *rows = COLLECTED["columns of raters"][0]
    page = dropped(client, csv([head, *((*row[:4], *(str(int(one) - 3) for one in row[4:])) for row in rows)]), "r.csv")
    assert unescape(client.get(page).text).count("−2 to 2") == 2


@pytest.mark.parametrize("has_ids", [True, False])
@pytest.mark.parametrize("sources", [("reply",), ("nurse reply", "gpt-4 reply")])
def test_rows_of_raters_without_a_source_share_their_items(
    client: TestClient, db: Connection, sources: tuple[str, ...], *, has_ids: bool
) -> None:
    """Each row became an item of its own, with one rater, so no two raters had rated the same."""
    rows = [
        (*([f"p{n}"] if has_ids else []), *(long_text(f"{who} {n}.", 20) for who in ("Post", *sources)), rater)
        for rater in NAMES
        for n in range(1, 9)
    ]
    asked = ["empathy"] if len(sources) == 1 else ["nurse empathy", "gpt-4 empathy"]
    head = (*(["Nr."] if has_ids else []), "post", *sources, "rater", *asked)
    rated = [(*row, *(str(1 + (n + k) % 5) for k in range(len(asked)))) for n, row in enumerate(rows)]
    page = dropped(client, csv([head, *rated]), "rated.csv")
    assert "32 rows, 8 items" in " ".join(client.get(page).text.split())
    assert make(client, page, "ratings") == "/studies/rated/results"
    assert db.execute(text("SELECT count(*) FROM items")).scalar_one() == 8
    found = {one[:2] for one in kept_ratings(db)}
    assert found == {(name, f"p{n}" if has_ids else str(n)) for name in NAMES for n in range(1, 9)}
    assert len(kept_ratings(db)) == len(asked) * len(rows)


def test_columns_of_raters_beside_one_source_are_of_its_responses(client: TestClient, db: Connection) -> None:
    rows = [(*(long_text(f"{who} {n}.", 20) for who in ("Post", "Reply")), str(n % 5 + 1), "3") for n in range(8)]
    page = dropped(client, csv([("post", "reply", "Rater A", "Rater B"), *rows]), "rated.csv")
    assert make(client, page, "ratings") == "/studies/rated/results"
    assert len(kept_ratings(db)) == 2 * len(rows)
