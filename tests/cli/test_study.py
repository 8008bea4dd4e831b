"""The verbs of `attune study`, run as a lead runs them: a folder in, the same folder out."""

import shutil
from pathlib import Path

import pytest
from sqlalchemy import text

from app.accounts.leads import get_lead
from app.analysis.data.study_folder import StudyFolder
from app.analysis.report.report import Report
from app.base.database.engine import make_engine
from app.results.downloads import whole_study
from app.results.reports.report_input import report_of_folder
from app.settings import settings
from app.studies.editor.protocol_edits import save_text
from app.studies.folder.study_templates import template_folder
from app.studies.studies import get_study
from tests.kit.command_line import AS_WRITTEN, Attune, attune

__all__ = ["attune"]

_WAITING = text("""
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'
""")


def files(folder: Path) -> dict[str, bytes]:
    """What a study folder holds, but for the description that names times."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_study_is_loaded_opened_and_exported_unchanged(attune: Attune, tmp_path: Path) -> None:
    folder = template_folder("ayers-pair")
    loaded = attune("study", "load", folder)
    assert loaded.code == 0, loaded.err
    slug = attune("study", "list").out.split("\t")[0]
    assert attune("study", "open", slug, *AS_WRITTEN).code == 0
    assert attune("study", "list").out.split("\t")[1] == "open"
    assert attune("study", "export", slug, "--out", tmp_path / "out").code == 0
    exported = tmp_path / "out"
    assert (exported / "study.yaml").read_bytes() == (folder / "study.yaml").read_bytes()
    assert attune("study", "check", exported).code == 0
    assert attune("study", "load", exported).code == 0, "loading the same study again changes nothing"
    assert attune("study", "export", slug, "--out", tmp_path / "again").code == 0
    assert files(tmp_path / "again") == files(exported)


def test_pause_and_close_are_idempotent(attune: Attune) -> None:
    attune("study", "load", template_folder("ayers-pair"))
    slug = attune("study", "list").out.split("\t")[0]
    attune("study", "open", slug, *AS_WRITTEN)
    for verb, status in (("pause", "paused"), ("pause", "paused"), ("close", "closed"), ("close", "closed")):
        assert attune("study", verb, slug).code == 0
        assert attune("study", "list").out.split("\t")[1] == status


def test_folder_problem_stops_load_and_nothing_is_saved(attune: Attune, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    for name, content in files(template_folder("ayers-pair")).items():
        (folder / name).write_bytes(content)
    responses = (folder / "responses.csv").read_text(encoding="utf-8").replace("physician", "doctor", 1)
    (folder / "responses.csv").write_text(responses, encoding="utf-8")
    outcome = attune("study", "load", folder)
    assert outcome.code == 1
    assert 'responses.csv, row 2, column source: found "doctor"' in outcome.err
    assert "1 error found. Nothing was saved." in outcome.err
    assert attune("study", "list").out == ""


@pytest.mark.parametrize("verb", ["open", "pause", "close"])
def test_unknown_study_exits_with_2(attune: Attune, verb: str) -> None:
    outcome = attune("study", verb, "nothing")
    assert outcome.code == 2
    assert "No stored study has the slug nothing" in outcome.err


def test_export_never_overwrites(attune: Attune, tmp_path: Path) -> None:
    attune("study", "load", template_folder("ayers-pair"))
    slug = attune("study", "list").out.split("\t")[0]
    (tmp_path / "letter.txt").write_text("keep me")
    outcome = attune("study", "export", slug, "--out", tmp_path)
    assert outcome.code == 1
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_export_holds_no_transaction_while_it_estimates(
    attune: Attune, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL ends a transaction that waits for a minute, and a large study's estimates take longer."""
    attune("study", "load", template_folder("ayers-pair"))
    slug = attune("study", "list").out.split("\t")[0]
    waiting: list[int] = []

    def counted(folder: StudyFolder) -> Report:
        engine = make_engine(settings().database_url or "")
        with engine.connect() as db:
            waiting.append(db.execute(_WAITING).scalar_one())
        engine.dispose()
        return report_of_folder(folder)

    monkeypatch.setattr(whole_study, "report_of_folder", counted)
    assert attune("study", "export", slug, "--out", tmp_path / "out").code == 0
    assert waiting == [0]


def test_lead_must_be_named_if_there_are_several(attune: Attune) -> None:
    for email in ("a@example.org", "b@example.org"):
        assert attune("lead", "add", email, "--link").code == 0
    folder = template_folder("ayers-pair")
    assert attune("study", "load", folder).code == 2
    assert attune("study", "load", folder, "--lead", "c@example.org").code == 2
    assert attune("study", "load", folder, "--lead", "b@example.org").code == 0


def test_first_lead_owns_the_studies_loaded_before(attune: Attune) -> None:
    folder = template_folder("ayers-pair")
    attune("study", "load", folder)
    slug = attune("study", "list").out.split("\t")[0]
    assert slug in attune("lead", "add", "a@example.org", "--link").err
    assert slug not in attune("lead", "add", "b@example.org", "--link").err
    assert attune("study", "load", folder, "--lead", "a@example.org").code == 0, "the lead's own study, as it was"
    assert attune("study", "load", folder, "--lead", "b@example.org").code == 1


def test_draft_with_problems_does_not_open(attune: Attune) -> None:
    attune("lead", "add", "a@example.org", "--link")
    attune("study", "load", template_folder("ayers-pair"))
    slug = attune("study", "list").out.split("\t")[0]
    engine = make_engine(settings().database_url or "")
    with engine.begin() as db:
        study, lead = get_study(db, slug), get_lead(db, "a@example.org")
        assert study
        assert lead
        save_text(db, study, lead, 0, "title: ''")
    engine.dispose()
    refused = attune("study", "open", slug, *AS_WRITTEN)
    assert refused.code == 1
    assert "raters would get it as it was before" in refused.err
    assert attune("study", "list").out.split("\t")[1] == "draft"


def test_missing_translation_is_announced_at_opening(attune: Attune, tmp_path: Path) -> None:
    shutil.copytree(template_folder("ayers-pair"), tmp_path / "own")
    protocol = tmp_path / "own" / "study.yaml"
    protocol.write_text(f"language: fa\n{protocol.read_text()}")
    loaded = attune("study", "load", tmp_path / "own")
    assert "study.yaml, line 1, column language" in loaded.err
    opened = attune("study", "open", attune("study", "list").out.split("\t")[0], *AS_WRITTEN)
    assert opened.code == 0
    assert "there is no translation for fa. Available: en, ar or de" in opened.err


def test_study_with_placeholders_is_not_opened_until_they_are_confirmed(attune: Attune) -> None:
    attune("study", "load", template_folder("ayers-pair"))
    slug = attune("study", "list").out.split("\t")[0]
    refused = attune("study", "open", slug)
    assert (refused.code, refused.out) == (1, "")
    assert "have not been filled in: [name of the institution]" in refused.err
    assert "--as-written PLACEHOLDER" in refused.err
    assert attune("study", "open", slug, *AS_WRITTEN[:2]).code == 1
    assert attune("study", "list").out.split("\t")[1] == "draft"
    assert attune("study", "open", slug, *AS_WRITTEN).code == 0
    assert attune("study", "list").out.split("\t")[1] == "open"


def test_links_of_an_open_study_are_complete(attune: Attune, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(template_folder("ayers-pair"), tmp_path / "own")
    attune("study", "load", tmp_path / "own")
    slug = attune("study", "list").out.split("\t")[0]
    links = dict(line.split("\t") for line in attune("study", "open", slug, *AS_WRITTEN).out.splitlines())
    assert links["Any other participants"].startswith("http://127.0.0.1:8000/s/")
    assert "PROLIFIC_PID={{%PROLIFIC_PID%}}" in links["Prolific"]
    monkeypatch.setenv("ATTUNE_PUBLIC_URL", "https://rate.example.org")
    settings.cache_clear()
    assert "https://rate.example.org/s/" in attune("study", "open", slug, *AS_WRITTEN).out
    elsewhere = attune("study", "open", slug, "--address", "https://other.example.org/").out
    assert "https://other.example.org/s/" in elsewhere


def test_study_with_personal_links_has_no_open_link(attune: Attune, tmp_path: Path) -> None:
    shutil.copytree(template_folder("ayers-pair"), tmp_path / "own")
    protocol = tmp_path / "own" / "study.yaml"
    protocol.write_text(protocol.read_text().replace("blind: true}", "blind: true, links: personal}"))
    attune("study", "load", tmp_path / "own")
    slug = attune("study", "list").out.split("\t")[0]
    opened = attune("study", "open", slug, *AS_WRITTEN)
    assert opened.out == ""
    assert f"attune study invite {slug}" in opened.err


TALKS = """\
attune: 1
slug: talks
title: Talks
sources: {warm: {kind: model}}
design: {trials: conversation}
conversation: {partners: {warm: {model: m}}}
flow: {consent: {version: "1", text: What you write is sent to a language model., sends_to_model: true}}
questions:
- {key: warmth, type: slider, target: response, text: How warm?, min: 0, max: 10}
"""


def test_a_study_whose_partner_no_server_can_play_is_not_opened(attune: Attune, tmp_path: Path) -> None:
    """Only the page refused it: raters who came by a link from the command line got no reply."""
    (tmp_path / "study.yaml").write_text(TALKS, encoding="utf-8")
    (tmp_path / "items.csv").write_text("item,text\ntask,Tell what happened.\n", encoding="utf-8")
    assert attune("study", "load", tmp_path).code == 0
    refused = attune("study", "open", "talks", *AS_WRITTEN)
    assert refused.code == 1, refused.err
    assert "No server of this installation" in refused.err
    assert attune("study", "list").out.split("\t")[1] == "draft"
