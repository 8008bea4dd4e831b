"""Every statistic key of the records, with its words for people and the kind of number it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["share", "coefficient", "points", "test", "ratio"]


@dataclass(frozen=True, slots=True)
class Statistic:
    """What a statistic is called on a page, and how its number is written.

    share: from 0 to 1, shown in percent · coefficient: at most 1 · points: of the question's scale · test: a test
    statistic · ratio: 1 is no difference
    """

    words: str
    kind: Kind


STATISTICS: dict[str, Statistic] = {
    "median": Statistic("Median", "points"),
    "mode": Statistic("Most frequent value", "points"),
    "mean": Statistic("Mean", "points"),
    "sd": Statistic("Standard deviation", "points"),
    "mean_difference": Statistic("Mean difference", "points"),
    "t_paired": Statistic("Paired t on item means", "test"),
    "t_unpaired": Statistic("Unpaired t on item means", "test"),
    "share_at_least": Statistic("Share at or above the cut", "share"),
    "share_at_least_ratio": Statistic("Ratio of shares at or above the cut", "ratio"),
    "share_preferred": Statistic("Share preferred", "share"),
    "tie_share": Statistic("Share of ties", "share"),
    "neither_share": Statistic("Share of neither", "share"),
    "first_side_share": Statistic("Share of the left side", "share"),
    "krippendorff_alpha_nominal": Statistic("Krippendorff's alpha, nominal", "coefficient"),
    "krippendorff_alpha_ordinal": Statistic("Krippendorff's alpha, ordinal", "coefficient"),
    "krippendorff_alpha_interval": Statistic("Krippendorff's alpha, interval", "coefficient"),
    "krippendorff_alpha_ratio": Statistic("Krippendorff's alpha, ratio", "coefficient"),
    "percent_agreement": Statistic("Percent agreement", "share"),
    "unanimous_share": Statistic("Share of unanimous units", "share"),
    "within_one_agreement": Statistic("Agreement within one point", "share"),
    "fleiss_kappa": Statistic("Fleiss' kappa", "coefficient"),
    "cohen_kappa": Statistic("Cohen's kappa", "coefficient"),
    "cohen_kappa_quadratic": Statistic("Cohen's kappa, quadratic weights", "coefficient"),
}
