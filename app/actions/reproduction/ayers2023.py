"""Ayers et al. 2023: physicians' and a chatbot's replies to patients' questions on a public forum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.reproduction.pack import Pack, Published
from app.exchange.published.ayers2023 import write_repaired_ayers

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from app.actions.reproduction.pack import Part

ABSTRACT = "abstract, Results"
NAMES = {"chatgpt": "chatbot", "physician": "physicians"}
AGAINST = {"source": "chatgpt", "reference": "physician"}
# As printed: percentages with one decimal, t and ratios with one decimal.
SHARE, ONE_DECIMAL = 0.0005, 0.05


def _preferred(words: str, value: float, part: Part) -> Published:
    # The limits are those of a score interval with continuity correction over the 585 evaluations.
    method = "" if part == "estimate" else "wilson_cc"
    return Published(words, value, SHARE, ABSTRACT, "share_preferred", "preference", AGAINST, method, part=part)


def _good(question: str, source: str, value: float) -> Published:
    words = f"Share rated 4 or 5 on {question}, {NAMES[source]}"
    scope = {"source": source, "cut": 4.0}
    return Published(words, value, SHARE, ABSTRACT, "share_at_least", question, scope, unit="item_mean")


def _published(_data: Path) -> Sequence[Published]:
    return (
        _preferred("Chatbot preferred", 0.786, "estimate"),
        _preferred("Chatbot preferred, lower limit", 0.750, "ci_low"),
        _preferred("Chatbot preferred, upper limit", 0.818, "ci_high"),
        Published("t of quality", 13.3, ONE_DECIMAL, ABSTRACT, "t_unpaired", "quality", AGAINST),
        Published("t of empathy", 18.9, ONE_DECIMAL, ABSTRACT, "t_unpaired", "empathy", AGAINST),
        _good("quality", "chatgpt", 0.785),
        _good("quality", "physician", 0.221),
        _good("empathy", "chatgpt", 0.451),
        _good("empathy", "physician", 0.046),
        *(
            Published(
                f"Ratio of these shares, {question}",
                value,
                ONE_DECIMAL,
                ABSTRACT,
                "share_at_least_ratio",
                question,
                {**AGAINST, "cut": 4.0},
            )
            for question, value in (("quality", 3.6), ("empathy", 9.8))
        ),
    )


AYERS = Pack(
    "ayers2023",
    "Ayers et al. (2023), JAMA Internal Medicine 183(6):589-596, doi:10.1001/jamainternmed.2023.1838",
    "JAMA.csv, the data set that the authors published with the article",
    write_repaired_ayers,
    _published,
)
