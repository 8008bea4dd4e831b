"""Whether raters can identify who wrote a response, and how their belief affects their ratings."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from app.analysis.data.answers import Answers
from app.analysis.data.encoded_study import Bools, Floats
from app.analysis.data.question_data import ScaledData
from app.analysis.data.scopes import distinct_groups, with_answers
from app.analysis.estimate import Estimate, Scope
from app.analysis.sections.categories import CategoryData
from app.analysis.statistic import Bounds, Column, PageTable, Recorded, Statistic, declare
from app.protocol.study import Protocol
from app.stats.accuracy.detection import criterion, dprime
from app.stats.comparison.describe import mean_difference, share
from app.stats.factors import interaction

SECTION = "belief"
BELIEVED: Scope = {"covariate": "believed to be a model"}

declare(
    Statistic(
        "dprime",
        "Detection d'",
        "points",
        docs="comparison",
        cites=("green1966",),
        no_difference=0.0,
        tests={"dprime": Recorded(keys=())},
    ),
    Statistic(
        "criterion",
        "Response criterion c (above 0: models identified too rarely)",
        "points",
        docs="comparison",
        cites=("green1966",),
    ),
    Statistic("detection_share", "Proportion correctly identified", "share", docs="comparison"),
    Statistic(
        "belief_effect",
        "Belief effect: rating if believed model minus if believed human",
        "points",
        docs="comparison",
        no_difference=0.0,
        bounds=Bounds(times=1),
        tests={"belief_effect": Recorded(keys=("source", "covariate"))},
    ),
)
BELIEFS = PageTable(
    "Who raters believe wrote the response",
    (
        Column("d'", ("dprime",)),
        Column("Correctly identified", ("detection_share",)),
        Column("Belief effect: rating if believed model minus if believed human", ("belief_effect",)),
    ),
)


@dataclass(frozen=True, eq=False)
class Beliefs:
    """The raters' beliefs, with one entry per answer about who wrote a response.

    The value of `answers` is 1 for a model and 0 for a person; `is_model` is the truth; `is_right` is 1 if the source
    is among those that the code stands for, otherwise 0.
    """

    data: ScaledData
    answers: Answers
    is_model: Bools
    is_right: Floats

    def about(self, answers: Answers) -> Floats:
        """Return what the rater of each of these answers believed about its response; nan if unknown."""
        said = pd.Series(self.answers.value, index=_cells(self.answers))
        return np.asarray(said[~said.index.duplicated()].reindex(_cells(answers)), dtype=np.float64)


def beliefs_of(protocol: Protocol, asked: CategoryData) -> Beliefs | None:
    """Return the answers to the declared question about who wrote a response; None for any other question."""
    declared = protocol.analysis.believed_source
    question = asked.question
    if declared is None or question.key != declared.question or question.target != "response" or question.multiple:
        return None
    names, sources = list(question.codes), asked.codes.sources
    is_model = np.array([protocol.sources[name].kind != "human" for name in sources], dtype=bool)
    meant = np.array([[name in declared.means.get(code, ()) for name in sources] for code in names], dtype=bool)
    # Codes that stand for both persons and models are left out.
    kinds = [set(is_model[row].tolist()) for row in meant]
    meaning = np.array([float(kind.pop()) if len(kind) == 1 else np.nan for kind in kinds])
    code, source = asked.given.argmax(axis=1), asked.answers.source
    known = np.isfinite(meaning[code])
    answers = replace(asked.answers, value=meaning[code]).select(known)
    data = asked.whole or asked.by_code[0]
    return Beliefs(data, answers, is_model[source[known]], (meant[code, source] * 1.0)[known])


def detection(beliefs: Beliefs) -> Iterator[Estimate]:
    """Yield d-prime, the response criterion, and the share of correct answers."""
    whole = beliefs.answers
    for group in distinct_groups(beliefs.data.codes):
        mask = group.has_rater[whole.rater]
        if group.scope and not mask.any():
            continue
        part, is_model = whole.select(mask), beliefs.is_model[mask]
        found = {
            "dprime": dprime(part.value, is_model, **part.where),
            "criterion": criterion(part.value, is_model, **part.where),
            "detection_share": share(beliefs.is_right[mask], **part.where),
        }
        for statistic, result in found.items():
            yield beliefs.data.record(
                result, part, section=SECTION, scope=group.scope, statistic=statistic, unit="rating"
            )


def effects(data: ScaledData, beliefs: Beliefs) -> Iterator[Estimate]:
    """Yield the effect of believing in a model on the ratings of each source, and the interactions with the source."""
    for group, answers in with_answers(distinct_groups(data.codes), data.answers):
        said = beliefs.about(answers)
        known = answers.select(np.isfinite(said))
        believed = said[np.isfinite(said)] == 1
        for source in data.sources:
            here = known.source == data.code_of(source)
            part = known.select(here)
            gap = mean_difference(part.value, believed[here], **part.where)
            scope: Scope = {**group.scope, "source": source, **BELIEVED}
            yield data.record(gap, part, section=SECTION, scope=scope, statistic="belief_effect", unit="rating")
        for source in data.sources:
            if data.reference is not None and source != data.reference:
                scope = {**group.scope, "source": source, "reference": data.reference, **BELIEVED}
                two = np.isin(known.source, [data.code_of(source), data.code_of(data.reference)])
                part = known.select(two)
                is_mine = part.source == data.code_of(source)
                both = interaction(part.value, is_mine, believed[two], **part.where)
                yield data.record(both, part, section=SECTION, scope=scope, statistic="interaction", unit="rating")


def _cells(answers: Answers) -> pd.MultiIndex:
    return pd.MultiIndex.from_arrays([answers.rater, answers.unit])
