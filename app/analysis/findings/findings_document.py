"""What files say beside the estimates: answers to the primary questions, objections, and conclusions of judges."""

from app.analysis.findings.agreement_summary import agreement_rows
from app.analysis.findings.answers import answers_of
from app.analysis.findings.judge_conclusions import conclusion_rows, conclusions_by_judge
from app.analysis.findings.main_contrasts import main_contrasts
from app.analysis.findings.objections import objections_of
from app.analysis.report.labelled import labelled
from app.analysis.report.report import Report
from app.protocol.study import Protocol

_OF_CONCLUSIONS = ("question", "comparison", "answers_of", "estimate", "another_conclusion")


def findings_document(report: Report, protocol: Protocol) -> dict[str, list[dict[str, str]]]:
    """The parts `answers`, `objections` and `judge_conclusions` of `report.json` and `results.json`.

    The report is not `labelled`.
    """
    shown = labelled(report, protocol.labels)
    contrasts = main_contrasts(shown, protocol)
    answers = answers_of(contrasts, shown, protocol)
    objections = objections_of(shown, protocol, contrasts, agreement_rows(shown, protocol))
    return {
        "answers": [{"question": one.question, "en": one.english, "de": one.german} for one in answers],
        "objections": [
            {"key": one.key, "says": one.says, "advice": one.advice, "cites": one.cites} for one in objections
        ],
        "judge_conclusions": [
            dict(zip(_OF_CONCLUSIONS, row, strict=True))
            for row in conclusion_rows([*conclusions_by_judge(shown, contrasts)])
        ],
    }
