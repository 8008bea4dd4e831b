"""Images of items: a folder beside items.csv, read, stored, written and copied with the study."""

import io
import zipfile

import pytest
from sqlalchemy import Connection, text

from app.accounts.leads import Lead
from app.analysis.data.study_folder import is_same
from app.studies import walk_throughs
from app.studies.creation.copy_study import copy_study
from app.studies.creation.read_new_study import read_upload
from app.studies.export import study_folder
from app.studies.folder.read import read_files
from app.studies.folder.write import write_zip
from app.studies.item_images import list_images
from app.studies.load import load_study
from app.studies.studies import delete_study, get_study
from tests.kit.images import a_png, image_file
from tests.kit.small import problems_in, small

ALLOWED = "a JPEG or PNG image of at most 10 MB and 25 megapixels; 1,600 pixels on the longer side are enough"
FILES = {"images/a.png": a_png(), "images/b c.jpg": image_file((9, 9), "JPEG")}


def items(*rows: str) -> str:
    return "\n".join(["item,text,image,image_alt,feels", *rows, ""])


def with_images(*rows: str, files: dict[str, bytes] = FILES) -> dict[str, bytes]:
    return small(items=items(*rows), responses=None, raters=None, ratings=None, study=YAML) | files


YAML = """\
attune: 1
slug: small
title: A small study
questions:
  - {key: emotion, target: item, type: category, text: Which emotion?, options: [sad, glad], correct_column: feels}
"""
SHOWN = with_images("a,I lost my keys.,a.png,A key,sad", "b,Hello.,b c.jpg,A door,glad", "c,No image.,,,")


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        (
            "a.png,",
            "items.csv, row 2, column image_alt: found an empty cell; allowed: the image in words (alternative text).",
        ),
        (
            ",A key",
            "items.csv, row 2, column image: found an empty cell; allowed: the file of the image that is described.",
        ),
        ("no.png,A key", 'items.csv, row 2, column image: found "no.png"; allowed: a file in the folder images.'),
        ("../study.yaml,A key", 'found "../study.yaml"; allowed: the name of a file in the folder images: letters'),
        (f"a.png,{'x' * 501}", "allowed: at most 500 characters."),
        ("a.gif,A key", f'images/a.gif: found "a GIF, which can move"; allowed: {ALLOWED}'),
    ],
)
def test_problems_say_what_is_wrong_with_an_image(cells: str, sentence: str) -> None:
    problems = problems_in(with_images(f"a,Hi.,{cells},sad", files={**FILES, "images/a.gif": b"GIF89a"}))
    assert any(sentence in problem.sentence() for problem in problems), [one.sentence() for one in problems]


def test_images_that_no_item_shows_are_ignored_with_a_note() -> None:
    study = read_files(with_images("a,Hi.,a.png,A key,sad"))
    assert [*study.images] == ["a.png"]
    assert "images/b c.jpg" in study.notes[0].sentence()


def test_images_travel_with_a_study(db: Connection, lead: Lead) -> None:
    archive = io.BytesIO()
    write_zip(archive, read_files(SHOWN))
    with zipfile.ZipFile(archive) as written:
        assert {name for name in written.namelist() if "images" in name} == {
            "small/images/a.png",
            "small/images/b c.jpg",
        }
    study = read_upload({"small.zip": archive.getvalue()})
    study_id = load_study(db, study, lead.id)
    assert load_study(db, study, lead.id) == study_id
    assert is_same(study_folder(db, study_id), study)
    found = get_study(db, "small", lead.id)
    assert found is not None
    copy = get_study(db, copy_study(db, found, lead, "copied", "Copied"), lead.id)
    _, walk_through = walk_throughs.copy_draft(db, study_id, study.protocol, study.yaml, [])
    assert copy is not None
    for one in (copy.id, walk_through):
        stored = study_folder(db, one)
        assert (stored.images, list(stored.items["image_alt"])) == (study.images, ["A key", "A door", None])
    delete_study(db, copy.id)
    left = text("SELECT count(*) FROM images WHERE study_id = :study")
    assert db.execute(left, {"study": copy.id}).scalar_one() == 0


def test_a_walk_through_copies_only_the_images_of_its_items(
    db: Connection, lead: Lead, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk_throughs, "MAX_ITEMS", 1)
    study = read_files(SHOWN)
    study_id = load_study(db, study, lead.id)
    for needed, names in (([], ["a.png"]), (["b"], ["a.png", "b c.jpg"])):
        _, copy_id = walk_throughs.copy_draft(db, study_id, study.protocol, study.yaml, needed)
        assert [*list_images(db, copy_id)] == names


def test_a_browser_may_send_images_without_their_folder() -> None:
    sent = {name.removeprefix("images/"): content for name, content in SHOWN.items()}
    assert read_upload(sent).images == read_files(SHOWN).images
