"""The report on a spreadsheet before import: column roles, garbled characters, texts that reveal their author."""

from pathlib import Path

import pytest

from app.base.files.encoding import n_odd, repaired
from app.base.files.spreadsheet import read_spreadsheet
from app.base.files.table import Table
from app.base.problems import Problems
from app.studies.imports.column_roles import guess_columns
from app.studies.imports.import_report import import_report, repaired_table
from app.studies.imports.wide_table import one_row_per_item

LONG = "I have not slept for three weeks now and nobody around me seems to notice. What can I do about it?"
# An apostrophe as UTF-8 that was read as Windows-1252 and saved on a Mac, as in the file of Ayers et al. 2023.
GARBLED = b"\x89\xdb\xaa"
SHEET = (
    b"postID,Question,Physician Response,ChatGPT Response,Eval 1 Quality (Physician),Topic\n"
    b"N1,%(long)b One,It%(odd)bs hard to sleep badly for weeks. Please see somebody about it soon.,"
    b"As an AI I am sorry to hear that. Please talk to somebody whom you trust about it.,4,night\n"
    b"N2,%(long)b Two,That%(odd)bs hard. Please see somebody about it as soon as you can.,"
    b"I am sorry to hear that. Please talk to somebody whom you trust about this.,5,work\n"
) % {b"odd": GARBLED, b"long": LONG.encode()}


def table_of(content: bytes, folder: Path) -> Table:
    (folder / "sheet.csv").write_bytes(content)
    table = read_spreadsheet(folder / "sheet.csv", Problems())
    assert table is not None
    return table


def test_column_roles_are_guessed_from_names_and_contents(tmp_path: Path) -> None:
    guesses = {guess.name: guess for guess in guess_columns(table_of(SHEET, tmp_path))}
    assert {name: guess.role for name, guess in guesses.items()} == {
        "postID": "item",
        "Question": "text",
        "Physician Response": "response",
        "ChatGPT Response": "response",
        "Eval 1 Quality (Physician)": "rating",
        "Topic": "attribute",
    }
    assert (guesses["Physician Response"].source, guesses["Physician Response"].kind) == ("Physician", "human")
    assert (guesses["ChatGPT Response"].source, guesses["ChatGPT Response"].kind) == ("ChatGPT", "model")


@pytest.mark.parametrize(
    ("sheet", "roles"),
    [
        (
            "Post,Counselor reply,GPT-4o reply\nI feel alone.,I am so sorry.,That sounds hard.\n",
            "text response response",
        ),
        ("id,post,Counselor,GPT-4o\n1,I feel alone.,I am so sorry.,That sounds hard.\n", "item text response response"),
        ("id,post,source,response\n1,I feel alone.,Nurse,I am so sorry.\n", "item text source response"),
        ("id,post,mood,response\n1,I feel alone.,sad,strongly agree\n", "item text attribute attribute"),
    ],
)
def test_short_texts_of_a_single_row_are_texts(sheet: str, roles: str, tmp_path: Path) -> None:
    """They were attributes: a column of responses had to have more than twelve different ones, or long ones."""
    assert [one.role for one in guess_columns(table_of(sheet.encode(), tmp_path))] == roles.split()


def test_garbled_characters_are_counted_by_source_and_repaired(tmp_path: Path) -> None:
    table = table_of(SHEET, tmp_path)
    columns = {"physician": "Physician Response", "chatgpt": "ChatGPT Response"}
    physician, chatgpt = import_report(table, columns).groups
    assert (physician.n_odd, physician.n_odd_after, chatgpt.n_odd) == (2, 0, 0)
    assert repaired_table(table, [*columns.values()]).column("Physician Response")[0].startswith("It’s hard")


def test_texts_that_reveal_their_author_are_reported(tmp_path: Path) -> None:
    report = import_report(table_of(SHEET, tmp_path), {"chatgpt": "ChatGPT Response"})
    assert report.groups[0].n_revealing == 1
    assert [(one.row, one.before[:8]) for one in report.revealing] == [(2, "As an AI")]


def test_empty_and_duplicate_texts_are_counted(tmp_path: Path) -> None:
    group = import_report(table_of(b"text,a\n1,same\n2,same\n3,\n", tmp_path), {"a": "a"}).groups[0]
    assert (group.n_texts, group.n_empty, group.n_duplicates, group.median_words) == (2, 1, 1, 1)


def test_rows_per_response_are_reshaped_to_rows_per_item(tmp_path: Path) -> None:
    rows = [
        f"{item},{LONG} {item},{source},A reply by {source} to {item} that is long enough to be read as a text,t"
        for item in ("a", "b")
        for source in ("nurse", "gpt-4")
    ]
    table = table_of("\n".join(["id,situation,source,response,topic", *rows]).encode(), tmp_path)
    roles = {guess.name: guess.role for guess in guess_columns(table)}
    assert (roles["source"], roles["situation"], roles["response"]) == ("source", "text", "response")
    wide = one_row_per_item(table, item="id", text="situation", source="source", response="response")
    assert list(wide.columns) == ["id", "situation", "topic", "nurse", "gpt-4"]
    assert wide.column("gpt-4")[1].startswith("A reply by gpt-4 to b")


def test_short_texts_with_german_names_are_recognized(tmp_path: Path) -> None:
    rows = [f"Wie geht es dir {n}?,{who},Das klingt heute schwer {n} {who}" for n in "abc" for who in ("Mensch", "KI")]
    table = table_of("\n".join(["Nachricht,Quelle,Antwort", *rows]).encode(), tmp_path)
    roles = {guess.name: guess.role for guess in guess_columns(table)}
    assert roles == {"Nachricht": "text", "Quelle": "source", "Antwort": "response"}


def test_scores_of_responses_are_no_texts(tmp_path: Path) -> None:
    rows = [f"{LONG} {n},{n * 3}" for n in range(20)]
    table = table_of("\n".join(["situation,response score", *rows]).encode(), tmp_path)
    assert [guess.role for guess in guess_columns(table)] == ["text", "attribute"]


def test_numbers_about_responses_are_no_texts(tmp_path: Path) -> None:
    rows = [f"p{n},{n % 7},{n * 3}" for n in range(20)]
    table = table_of("\n".join(["id,understood,response_length", *rows]).encode(), tmp_path)
    assert [guess.role for guess in guess_columns(table)] == ["item", "attribute", "attribute"]


@pytest.mark.parametrize("text", ["plain", "café", "Ich weiß, “so” – ja", "سلام", "日本語", "naïve Ósló", "5′8″ 🙂"])
@pytest.mark.parametrize("is_utf8", [True, False])
def test_intact_text_is_unchanged(text: str, *, is_utf8: bool) -> None:
    assert repaired(text, is_utf8=is_utf8) == text


@pytest.mark.parametrize(
    ("text", "meant"),
    [("donâ€™t", "don’t"), ("cafÃ©", "café"), ("5‰Ûª8‰Û\x9d", "5’8”"), ("next day‰ÛÓ now", "next day— now")],
)
def test_garbled_text_is_repaired(text: str, meant: str) -> None:
    assert repaired(text, is_utf8=False) == meant
    assert n_odd(text) > n_odd(meant) == 0
