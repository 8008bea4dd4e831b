"""What files say in words beside the estimates: the answers to the primary questions, and the objections to expect."""

from __future__ import annotations

from app.analysis.findings.agreement_summary import agreement_rows
from app.analysis.findings.answers import answers_of
from app.analysis.findings.main_contrasts import main_contrasts
from app.analysis.findings.objections import objections_of
from app.analysis.report.labelled import labelled
from app.analysis.report.report import Report
from app.protocol.study import Protocol


def findings_document(report: Report, protocol: Protocol) -> dict[str, list[dict[str, str]]]:
    """The parts `answers` and `objections` of `report.json` and `results.json`. The report is not `labelled`."""
    shown = labelled(report, protocol.labels)
    contrasts = main_contrasts(shown, protocol)
    answers = answers_of(contrasts, shown, protocol)
    objections = objections_of(shown, protocol, contrasts, agreement_rows(shown, protocol))
    return {
        "answers": [{"question": one.question, "en": one.english, "de": one.german} for one in answers],
        "objections": [
            {"key": one.key, "says": one.says, "advice": one.advice, "cites": one.cites} for one in objections
        ],
    }
