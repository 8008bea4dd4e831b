"""What readers are told of each primary estimate: the answer of the summary that has it."""

import re
from dataclasses import dataclass

from app.analysis.estimate import Estimate
from app.analysis.findings.answers import answers_of
from app.analysis.findings.main_contrasts import main_contrasts
from app.analysis.report.labelled import labelled
from app.analysis.report.report import Report
from app.analysis.report.sentences import test_of
from app.analysis.report.verdicts import effect_behind
from app.analysis.wording.formatting import generalizes_text
from app.protocol.study import Protocol


@dataclass(frozen=True)
class Told:
    """A primary estimate, and the sentence that tells it. `shown` is the effect behind a test statistic."""

    estimate: Estimate
    shown: Estimate
    said: str

    @property
    def words(self) -> str:
        """The sentence without its parentheses."""
        return re.sub(r" \([^()]*\)", "", self.said)

    @property
    def test(self) -> str:
        return test_of(self.estimate)

    @property
    def holds(self) -> str:
        """What the interval is valid for."""
        return generalizes_text([self.shown]) if self.shown.ci_low is not None else ""


def told(report: Report, protocol: Protocol) -> list[list[Told]]:
    """What is told of the estimates of each primary contrast, in the order of the protocol.

    The report is not `labelled`. Raises ValueError if an estimate is told by no answer or by several.
    """
    of_labels = labelled(report, protocol.labels)
    answers = answers_of(main_contrasts(of_labels, protocol), of_labels, protocol)
    found: list[list[Told]] = []
    for result, shown in zip(report.primary, of_labels.primary, strict=True):
        found.append([])
        for one, of_page in zip(result.estimates, shown.estimates, strict=True):
            (answer,) = [each for each in answers if any(finding.decided is of_page for finding in each.findings)]
            found[-1].append(Told(one, effect_behind(one, report.estimates), answer.english))
    return found
