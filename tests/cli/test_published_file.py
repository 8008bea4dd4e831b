"""The commands of docs/ratings-import.md, word for word: from a published file to the results of its paper."""

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from app.analysis.report.report import Report
from app.analysis.sections.heterogeneity import OF_ITEMS, VARIATION
from app.studies.folder.read import read_folder
from tests.kit.command_line import Attune, attune
from tests.real_data.ayers import raw_csv

__all__ = ["attune"]
PAGE = (Path(__file__).resolve().parents[2] / "docs" / "ratings-import.md").read_text(encoding="utf-8")


def block(kind: str, holds: str) -> str:
    """The one block of the page that holds these words."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    (found,) = (text for name, text in blocks if name == kind and holds in text)
    return str(found)


def commands() -> list[list[str]]:
    """The commands of the example."""
    lines = block("", "JAMA.csv").replace("\\\n", " ").splitlines()
    return [shlex.split(line) for line in lines]


def told(estimate: dict[str, Any]) -> tuple[str, ...]:
    """Which estimate it is."""
    words = ("section", "question", "statistic", "method", "unit", "scope")
    return tuple(json.dumps(estimate[word], sort_keys=True) for word in words)


@pytest.mark.slow
def test_documented_import_commands_reproduce_estimates(
    attune: Attune, shared: Path, ayers: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ayers").mkdir()
    (tmp_path / "ayers" / "study.yaml").write_text(block("yaml", "slug: ayers"), encoding="utf-8")
    shutil.copyfile(raw_csv(shared), tmp_path / "JAMA.csv")
    for program, *arguments in commands():
        assert program == "attune"
        said = attune(*arguments)
        assert said.code == 0, (arguments, said.err)
    assert len(read_folder(tmp_path / "ayers").ratings) == 2925
    known = {told(estimate): estimate for estimate in ayers.as_document()["estimates"]}
    made = json.loads((tmp_path / "ayers-results" / "report.json").read_text(encoding="utf-8"))["estimates"]
    # the converted folder has a column more, the length of each response, and other primary contrasts, which are
    # analysed again and over items
    more = [known[name] for name in known.keys() - set(map(told, made))]
    over_items = {key for column in VARIATION.columns for key in column.statistics} | set(OF_ITEMS)
    of_other_contrasts = [one for one in more if "sensitivity" in one["scope"] or one["statistic"] in over_items]
    assert {one["scope"].get("covariate") for one in more if one not in of_other_contrasts} == {"length"}
    for estimate in made:
        for name in ("estimate", "ci_low", "ci_high", "p_value", "n_items", "n_raters", "n_ratings"):
            wanted = known[told(estimate)][name]
            # what a search found may end a little elsewhere when raters stand in another order
            assert estimate[name] == (wanted if wanted is None else pytest.approx(wanted, rel=1e-6, abs=1e-9)), name
