from sqlalchemy import Connection

from app.analysis.estimate import Estimate
from app.protocol.labels import Labels
from app.results.pages.unit_rows import by_place, unit_rows
from app.studies.folder.read import read_folder
from app.studies.load import load_study
from tests.analysis.golden import HERE

SHOWN = ("unit_disagreement",)


def _of(kind: str, key: str) -> Estimate:
    return Estimate("disagreement", "quality", {"subgroup": {kind: key}}, "unit_disagreement", 1.5, note="4 ratings")


def test_units_are_named_by_their_words_and_the_label_of_their_source(db: Connection) -> None:
    study = read_folder(HERE / "ayers-pair")
    study_id = load_study(db, study)
    response = study.responses.iloc[0]
    given = [_of("response", response["response"]), _of("item", response["item"]), _of("response", "deleted since")]
    one, item, gone = unit_rows(db, study_id, given, study.protocol.labels, SHOWN)
    assert one.source == study.protocol.labels.source(response["source"])
    assert one.texts is not None
    assert one.texts.response == response["text"]
    assert one.opening == item.opening != ""
    assert item.source == ""
    assert (gone.texts, gone.about, gone.value) == (None, "deleted since", "1.50")
    assert one.question == Labels().question("quality")


def test_ten_rows_are_shown_at_once(db: Connection) -> None:
    study_id = load_study(db, read_folder(HERE / "ayers-pair"))
    rows = unit_rows(db, study_id, [_of("item", str(n)) for n in range(12)], Labels(), SHOWN)
    assert [len(part) for part in by_place(rows)] == [10, 2]
