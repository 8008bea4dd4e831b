"""Who took part, who left early, and which answers are missing, for the methods of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.wording.formatting import number
from app.design.word_lists import and_list, counted, spelled_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.analysis.document.circumstances import Circumstances
    from app.analysis.report.sample import Sample
    from app.design.protocol.study import Protocol


def rater_sentences(sample: Sample, protocol: Protocol) -> Iterator[str]:
    """How many raters of which kind and pool answered, and when."""
    if not sample.raters:
        yield "No rater has answered."
        return
    is_unknown = protocol.raters.identity == "unknown"
    if is_unknown:
        yield "It is not known which person gave which rating, so ratings are counted by slots."
    people = [group for group in sample.raters if group.kind != "model"]
    n_people, n_judges = sum(group.n for group in people), sample.n_raters - sum(group.n for group in people)
    groups = [(n_people, "rater slot" if is_unknown else "rater"), (n_judges, "model judge")]
    who = and_list([f"{spelled_out(n)} {word}{'' if n == 1 else 's'}" for n, word in groups if n])
    marks = [(sample.n_simulated, "simulated"), (sample.n_imported, "imported from elsewhere")]
    told = [f"{'all' if n == sample.n_raters else f'{n:,}'} {words}" for n, words in marks if n]
    pools = [f"{group.n:,} {_of_pool(group.pool, protocol)}" for group in people]
    of_pools = f": {and_list(pools)}" if any(group.pool for group in people) else ""
    started = who if who[0].isalpha() else f"a total of {who}"
    in_brackets = f" ({', '.join(told)})" if told else ""
    yield f"{started[:1].upper()}{started[1:]} took part{in_brackets}{of_pools}."
    if sample.first_day and sample.last_day:
        first, last = sample.first_day.isoformat(), sample.last_day.isoformat()
        yield f"Ratings were given {f'on {first}' if first == last else f'from {first} to {last}'} (UTC)."


def _of_pool(pool: str | None, protocol: Protocol) -> str:
    return f"of the pool {protocol.labels.pool(pool)}" if pool else "of no pool"


def participation_sentences(protocol: Protocol, about: Circumstances) -> Iterator[str]:
    """How many arrived and finished, overall and by arm, and why others did not finish."""
    if about.arrivals:
        yield f"Participation: {and_list([f'{n:,} {words}' for words, n in about.arrivals.items()])}."
    if len(about.arms) > 1:
        parts = [f"{_arm(arm, protocol)} {n.n_finished:,} of {n.n_arrived:,}" for arm, n in about.arms.items()]
        yield f"Finished of those assigned, by {_kind_of_arm(protocol)}: {', '.join(parts)}."


def missing_sentences(sample: Sample, protocol: Protocol, n_skipped: int | None) -> Iterator[str]:
    """How many answers are missing on rated pages, overall and by arm, and how many trials were skipped."""
    n_missing, n_expected = (sum(n[at] for n in sample.missing.values()) for at in (0, 1))
    if n_skipped:
        yield f"Raters skipped {counted(n_skipped, 'trial')}; skipped trials were offered to other raters."
    if not n_expected:
        return
    if not n_missing:
        yield "No answer is missing in the trials rated."
        return
    share = number(n_missing / n_expected, "share")
    parts = [f"{_arm(arm, protocol)} {n:,} of {of:,}" for arm, (n, of) in sample.missing.items() if arm]
    by_arm = f" (by {_kind_of_arm(protocol)}: {', '.join(parts)})" if len(parts) > 1 else ""
    yield f"In the trials rated, {n_missing:,} of {n_expected:,} answers ({share}) are missing{by_arm}."
    yield "Estimates use all answers that were given; missing answers are not imputed."


def _arm(arm: str, protocol: Protocol) -> str:
    return protocol.labels.condition(arm) if "=" in arm else protocol.labels.pool(arm)


def _kind_of_arm(protocol: Protocol) -> str:
    is_between = any(factor.assign == "between" for factor in protocol.conditions.values())
    return "condition" if is_between else "pool"
