"""Which items people should rate next: those about which judges and people are likely to disagree."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from app.analysis.data.encoded_study import Floats, codes_of
from app.analysis.data.frames import Frames
from app.analysis.data.question_data import AnyQuestionData
from app.analysis.data.simulated import counted_frames
from app.analysis.sections.judges.model_judges import judges_and_people
from app.analysis.sections.judges.together import Said, asked_together, of_sample, units_of
from app.analysis.sections.study_data import StudyData
from app.protocol.primary_default import primary_contrasts
from app.protocol.study import Protocol
from app.stats.comparison.prediction_powered import residual_of_items
from app.stats.comparison.residual_sizes import predicted_sizes

MIN_ITEMS = 8
DIFFERENCES = ("mean_difference", "share_preferred")


class NotComparedError(ValueError):
    """Judges and people cannot be compared yet; the message says why, and what to do."""


def sizes_of_items(frames: Frames, protocol: Protocol, fold: Mapping[str, int]) -> dict[str, float]:
    """Return how far judges and people are likely to disagree about each item, relative to the mean over items.

    What disagrees is the primary contrasts, or the means where no sources are compared. It is predicted from how far
    the values of the judges are from their mean and from each other: with few items, more would be chance.

    Args:
        frames: with the answers of judges and people.
        protocol: of the study.
        fold: of each item, by key; other items have no size.

    Raises:
        NotComparedError: there are too few items that judges and people both rated.
    """
    frames = counted_frames(frames)[0]
    study = StudyData(codes_of(frames, protocol), protocol, full=False, frames=frames).with_showings
    residuals, values = [], []
    for people, judges in _compared(study):
        units = units_of(people, judges)
        sample = study.codes.sample
        n_items = study.codes.responses.n_items
        chance = None if sample is None else sample.probability[units.item]
        residual = residual_of_items(
            people.value, unit=units.unit, judge=units.judge, item=units.item, sign=units.sign, chance=chance
        )
        spread = float(np.sqrt(np.nanmean(residual**2))) or 1.0
        residuals.append(_filled(residual / spread, n_items))
        values.append([_filled(_of_items(own, units.item, units.sign), n_items, 0.0) for own in units.judge])
    squares = np.array(residuals) ** 2 if residuals else np.full((1, 0), np.nan)
    n_known = np.isfinite(squares).sum(axis=0)
    together = np.sqrt(np.nansum(squares, axis=0) / np.where(n_known > 0, n_known, np.nan))
    n_rated = int((n_known > 0).sum())
    if n_rated < MIN_ITEMS:
        raise NotComparedError(
            f"At least {MIN_ITEMS} items need answers of people and of a model judge to the main questions; "
            f"{n_rated} have them. Let people rate the sample, and a model judge all items, and try again."
        )
    keys = [str(key) for key in study.codes.items["item"]]
    here = np.array([key in fold for key in keys])
    features = np.array([*_features(values)])
    sizes = predicted_sizes(together[here], features[:, here], np.array([fold[key] for key in keys if key in fold]))
    return dict(zip((key for key in keys if key in fold), map(float, sizes), strict=True))


def _compared(study: StudyData) -> Iterator[tuple[Said, list[Said]]]:
    """The answers of people and of all judges in each contrast whose interval is to become narrow."""
    primary = {contrast.question for contrast in primary_contrasts(study.protocol)}
    every: list[AnyQuestionData] = [*study.numbers, *study.choices]
    for data in [one for one in every if one.question.key in primary] or every:
        for _, humans, owns in [*judges_and_people(data)][-1:]:
            asked = [*asked_together(data, humans, owns)]
            differences = [one for one in asked if one[0] in DIFFERENCES]
            for _, _, people, judges in differences or asked:
                rated, judged = of_sample(people.known, study.codes.sample)[0], [judge.known for judge in judges]
                if study.codes.sample is not None:
                    known = np.isfinite(study.codes.sample.probability)
                    judged = [judge.select(known[judge.answers.item]) for judge in judged]
                rated = rated.select(np.isin(rated.answers.unit, _units_of_all(judged)))
                sides = [{*one.is_reference.tolist()} for one in (rated, *judged)]
                if sides[0] and all(one == sides[0] for one in sides):
                    yield rated, judged


def _units_of_all(judges: Sequence[Said]) -> np.ndarray:
    return np.unique(np.concatenate([judge.answers.unit for judge in judges]))


def _of_items(judge: Floats, item: np.ndarray, sign: Floats) -> Floats:
    """A judge's values of units, summed over those of an item with their signs, standardized over items."""
    value = judge.copy()
    for side in np.unique(sign):
        mine = sign == side
        value[mine] -= np.nanmean(value[mine])
    total = np.bincount(item, sign * np.nan_to_num(value))
    there = np.bincount(item) > 0
    spread = float(total[there].std())
    return np.asarray(total / (spread if spread > 0 else 1.0))


def _filled(value: Floats, n_items: int, missing: float = np.nan) -> Floats:
    return np.concatenate([value, np.full(n_items - len(value), missing)])


def _features(values: Sequence[Sequence[Floats]]) -> Iterator[Floats]:
    """How far the mean value of the judges is from its mean over items, and how far the judges are apart."""
    judged = [np.array(own) for own in values]
    yield np.mean([np.abs(own.mean(axis=0)) for own in judged], axis=0)
    yield np.mean([own.std(axis=0) for own in judged], axis=0)
