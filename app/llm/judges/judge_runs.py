"""Create a judge and its run, or find the run that it continues; and what a run would cost."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from sqlalchemy import Connection

from app.base.words import counted
from app.llm.client.asked import Asked
from app.llm.client.budget import estimated_tokens
from app.llm.client.endpoint import Endpoint
from app.llm.judges.judge_pages import JudgedStudy, judged_study, planned_requests
from app.llm.judges.judge_settings import JudgeSettings
from app.llm.runs.requests import PlannedRequest, get_progress
from app.llm.runs.run_start import find_run, start_run
from app.llm.runs.runs import RunRow, list_runs, record_judge
from app.studies.studies import StudyRow

# Tokens of an answer: what a field takes on average. A text is counted as a short paragraph.
_TOKENS_PER_FIELD, _TOKENS_PER_TEXT, _TOKENS_PER_ANSWER = 12, 120, 10


class RunExistsError(ValueError):
    """A run of this name exists already."""


class NothingToJudgeError(ValueError):
    """The study has no trial with a question that a model could be asked, or an item without its reference."""


@dataclass(frozen=True, slots=True)
class JudgeEstimate:
    """What a run would use. Each trial is shown at least once; `n_fields` is the number of answers.

    `longest_in`: the tokens of the longest prompt.
    """

    n_requests: int
    n_trials: int
    n_fields: int
    tokens_in: int
    tokens_out: int
    longest_in: int = 0


def estimate_run(db: Connection, study: StudyRow, settings: JudgeSettings) -> JudgeEstimate:
    """What a run of these settings would use; nothing is stored or sent.

    Raises:
        NothingToJudgeError: there is nothing to ask.
    """
    judged = judged_study(db, study.id, study.protocol_version)
    planned = _planned(db, judged, settings)
    sizes = [_size(db, judged, settings, one) for one in planned]
    n_trials = len(Counter((one.item_id, frozenset(one.response_ids), one.condition) for one in planned))
    n_fields, tokens_in, tokens_out = (sum(column) for column in zip(*sizes, strict=True))
    return JudgeEstimate(len(planned), n_trials, n_fields, tokens_in, tokens_out, max(size[1] for size in sizes))


def estimate_runs(db: Connection, study: StudyRow, judges: Iterable[JudgeSettings]) -> JudgeEstimate:
    """What the runs of several judges would use together; as `estimate_run`."""
    each = [estimate_run(db, study, settings) for settings in judges]
    return JudgeEstimate(
        sum(one.n_requests for one in each),
        each[0].n_trials,
        sum(one.n_fields for one in each),
        sum(one.tokens_in for one in each),
        sum(one.tokens_out for one in each),
        max(one.longest_in for one in each),
    )


def _planned(db: Connection, judged: JudgedStudy, settings: JudgeSettings) -> list[PlannedRequest]:
    if writing := judged.protocol.writing:
        raise NothingToJudgeError(
            f"In this study, raters write the {writing.words.several} that they are asked about. Models can judge them "
            "in a study that has them as its texts."
        )
    planned = planned_requests(db, judged, settings)
    if not planned and settings.anchors:
        raise NothingToJudgeError(f"No item to judge has a value in the column {settings.anchors}.")
    if not planned:
        raise NothingToJudgeError("This study has no trials with questions that a model can answer.")
    asked = {one.item_id for one in planned}
    without = [one.key for one in judged.items if one.item_id in asked and not one.attributes.get(settings.reference)]
    if settings.reference and without:
        raise NothingToJudgeError(
            f"{counted(len(without), 'item has', 'items have')} no attribute {settings.reference} with a reference "
            f"answer, such as {without[0]}. Add the column to items.csv, or judge without a reference."
        )
    return planned


def _size(
    db: Connection, judged: JudgedStudy, settings: JudgeSettings, planned: PlannedRequest
) -> tuple[int, int, int]:
    """Number of fields, and estimated tokens of prompt and answer."""
    page = judged.page(db, planned)
    prompt = page.prompt(judged.protocol, settings)
    asked = settings.fields([one.asked for one in page.questions])
    tokens_in = estimated_tokens(*(message["content"] for message in prompt))
    return len(page.questions), tokens_in, min(_answer_tokens(asked), settings.max_tokens)


def _answer_tokens(asked: Sequence[Asked]) -> int:
    free = sum(one.kind in {"text", "passages"} for one in asked)
    return _TOKENS_PER_ANSWER + _TOKENS_PER_FIELD * len(asked) + _TOKENS_PER_TEXT * free


def begin_run(
    db: Connection,
    study: StudyRow,
    endpoint: Endpoint,
    settings: JudgeSettings,
    name: str,
    *,
    lead_id: int | None = None,
) -> tuple[RunRow, bool]:
    """The run of this name: created with its judge and its requests, or the one that is continued.

    Returns:
        The run, and whether it was created.

    Raises:
        NothingToJudgeError: there is nothing to ask.
        OtherSettingsError: a run of this name has another model, endpoint or other settings.
        RunNameTakenError: a rater of the study has this key.
    """
    if run := find_run(db, study, "judge", name, endpoint, settings):
        return run, False
    judged = judged_study(db, study.id, study.protocol_version)
    planned = _planned(db, judged, settings)
    host = urlsplit(endpoint.base_url).netloc.rpartition("@")[2]
    rater_id = record_judge(db, study.id, name, settings.attributes(endpoint.model, host))
    run = start_run(db, study, "judge", name, endpoint, settings, planned, rater_id=rater_id, lead_id=lead_id)
    return run, True


def asked_again(db: Connection, study: StudyRow, run: RunRow, anchors: str = "") -> tuple[str, JudgeSettings]:
    """The name and the settings with which a judge is asked the same once more, or is still being asked.

    Args:
        db: the transaction.
        study: its study.
        run: the judge, or a later one of its series.
        anchors: the attribute of the items to ask about, empty for those that it was asked about.

    Raises:
        NothingToJudgeError: the first judge of the series is not done.
    """
    settings = JudgeSettings.of(run.settings)
    first = settings.series or run.name
    every = {one.name: one for one in list_runs(db, study.id, "judge")}
    series = [one for name, one in every.items() if JudgeSettings.of(one.settings).series == first]
    if series and get_progress(db, series[-1]).n_left:
        return series[-1].name, JudgeSettings.of(series[-1].settings)
    if first in every and (n := get_progress(db, every[first]).n_left):
        raise NothingToJudgeError(f"{first} has {counted(n, 'request')} left. Continue it before you ask it again.")
    number = 2 + len(series)
    while f"{first}@{number}" in every:
        number += 1
    return f"{first}@{number}", replace(settings, series=first, anchors=anchors or settings.anchors)


def begin_judges(
    db: Connection, study: StudyRow, endpoint: Endpoint, judges: Mapping[str, JudgeSettings], *, lead_id: int | None
) -> list[RunRow]:
    """Create a run for each judge, by its name; all of them or none.

    Raises:
        RunExistsError: a run has one of these names.
        NothingToJudgeError: there is nothing to ask.
        OtherSettingsError: a run has one of these names, and other settings.
        RunNameTakenError: a rater of the study has one of these names.
    """
    runs = []
    with db.begin_nested():
        for name, settings in judges.items():
            run, is_new = begin_run(db, study, endpoint, settings, name, lead_id=lead_id)
            if not is_new:
                raise RunExistsError(f"The study already has a run {name}. Choose another name.")
            runs.append(run)
    return runs
