"""What the balance table of a sample without known probabilities says, in a sentence."""

from collections.abc import Sequence

from app.analysis.estimate import Estimate, without
from app.analysis.wording.formatting import scope_text
from app.base.words import and_list, counted
from app.protocol.labels import Labels

# From here on a difference counts (Austin 2009).
IMBALANCE = 0.1
ASSUMED = "The estimates of judge and people assume that people rated a random sample of the items that judges rated."


def balance_sentences(estimates: Sequence[Estimate], labels: Labels) -> tuple[str, ...]:
    """Say that random sampling is assumed, and in what the sample differs clearly from the rest; () without a table.

    Args:
        estimates: of section `judge`, `labelled`.
        labels: of the study.
    """
    shown = [one for one in estimates if one.statistic == "sample_balance" and one.estimate is not None]
    if not shown:
        return ()
    clear = [one for one in shown if _is_clear(one)]
    if not clear:
        none = f"None of the {len(shown)} values compared speaks against it."
        return (ASSUMED, none if len(shown) > 1 else "The one value compared does not speak against it.")
    names = and_list(dict.fromkeys(_name(one, labels) for one in clear), most=4)
    more = f"In {counted(len(clear), 'value')} of {len(shown)} the items that people rated differ clearly from the rest"
    chance = "about one in 20 does by chance"
    return (ASSUMED, f"{more} ({chance}): {names}. If people did not rate a random sample, do not use these estimates.")


def _is_clear(one: Estimate) -> bool:
    low, high = one.ci_low or 0.0, one.ci_high or 0.0
    return abs(one.estimate or 0.0) >= IMBALANCE and not low <= 0 <= high


def _name(one: Estimate, labels: Labels) -> str:
    what = scope_text(without(one.scope, "rater_kind"))
    return f"{labels.question(one.question)} by {what}" if one.question else what
