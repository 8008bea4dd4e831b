"""Which statistics the tables of each section have, and the names of their columns."""

from __future__ import annotations

from dataclasses import dataclass

from app.analysis.estimate import Unit


@dataclass(frozen=True, slots=True)
class Column:
    """A column: it contains the first of these statistics that a row has, of one unit if it names one.

    `has_cut` keeps apart the two forms of a statistic that exists with a cut and without; `covariate` keeps apart those
    at equal values of different covariates.
    """

    words: str
    statistics: tuple[str, ...]
    unit: Unit | None = None
    has_cut: bool | None = None
    covariate: str | None = None


ALPHAS = tuple(f"krippendorff_alpha_{level}" for level in ("ordinal", "nominal", "interval", "ratio"))
BLOCKS: dict[str, tuple[tuple[str, tuple[Column, ...]], ...]] = {
    "comparison": (
        (
            "Differences between sources, with 95% CIs",
            (
                Column("Mean difference", ("mean_difference",)),
                Column("Probability of superiority", ("prob_superiority", "prob_superiority_unpaired")),
                Column("Odds ratio (ordinal mixed model)", ("odds_ratio_clmm",)),
                Column("Change", ("percent_change",), has_cut=False),
            ),
        ),
        (
            "Shares at or above the cut, with 95% CIs",
            (
                Column("Of ratings", ("share_at_least",), unit="rating"),
                Column("Difference, percentage points", ("share_difference",), unit="rating"),
                Column("Change", ("percent_change",), has_cut=True),
                Column("Of item means", ("share_at_least",), unit="item_mean"),
                Column("Ratio of item means", ("share_at_least_ratio",)),
            ),
        ),
        (
            "Margins, with 90% CIs",
            (Column("Equivalence", ("equivalence",)), Column("Non-inferiority", ("non_inferiority",))),
        ),
        (
            "Correlations between questions",
            (Column("Correlation", ("correlation",)), Column("Halo: correlation within the response", ("halo",))),
        ),
        (
            "Composite scores",
            (
                Column("Cronbach's alpha", ("cronbach_alpha",)),
                Column("Omega", ("omega", "mcdonald_omega")),
                Column("Correlation with the rest", ("item_rest_correlation",)),
            ),
        ),
    ),
    "preference": (
        (
            "Shares preferred, with 95% CIs",
            (
                Column("Share preferred", ("share_preferred",)),
                Column("Adjusted for length", ("share_preferred_at_equal",), covariate="length"),
                Column("Adjusted for side", ("share_preferred_at_equal",), covariate="side"),
                Column("Mixed model", ("share_preferred_glmm",)),
            ),
        ),
        ("Strengths of the sources (log ability; the reference is 0)", (Column("Strength", ("bt_strength",)),)),
        (
            "Position, ties and consistency",
            (
                Column("Left side chosen", ("first_side_share",)),
                Column("Ties", ("tie_share",)),
                Column("Neither", ("neither_share",)),
                Column("Consistent with own ratings", ("choice_coherence",)),
                Column("Strength of preference", ("preference_strength",)),
            ),
        ),
        ("Mean ranks; 1 is first", (Column("Mean rank", ("mean_rank",)),)),
    ),
    "codes": (
        ("Share of answers with each category", (Column("Share", ("code_share",)),)),
        ("Differences between sources", (Column("Difference, percentage points", ("category_difference",)),)),
        (
            "Answers compared with the key",
            (
                Column("Correct", ("accuracy_share",)),
                Column("F1", ("f1_macro", "f1")),
                Column("Items needed", ("items_needed",)),
            ),
        ),
    ),
    "agreement": (
        (
            "Agreement between raters, with 95% CIs",
            (
                Column("Krippendorff's alpha", (*ALPHAS, "kendall_w_within_items")),
                Column("ICC, one rating", ("icc_a_1", "icc_1_1")),
                Column("Gwet's AC", ("gwet_ac2", "gwet_ac1")),
                Column("Ratings per response for .80", ("raters_needed",)),
            ),
        ),
    ),
    "conditions": (
        (
            "Effect of each factor, with 95% CIs",
            (Column("Effect", ("factor_effect",)),),
        ),
        (
            "Differences between sources in each condition, and their interaction",
            (
                Column("Mean difference", ("mean_difference",)),
                Column("Share preferred", ("share_preferred",)),
                Column("Interaction", ("interaction",)),
            ),
        ),
        (
            "Who raters believe wrote the response",
            (
                Column("d'", ("dprime",)),
                Column("Correctly identified", ("detection_share",)),
                Column("Belief effect: rating if believed model minus if believed human", ("belief_effect",)),
            ),
        ),
    ),
    "subgroups": (
        (
            "By attribute of items and raters",
            (
                Column("Mean difference", ("mean_difference",)),
                Column("Share preferred", ("share_preferred",)),
                Column("Interaction", ("interaction",)),
                Column("Interaction, percentage points", ("share_difference",)),
            ),
        ),
        (
            "By attribute of sources, by pool and by rater score",
            (
                Column("Attribute of sources", ("attribute_effect",)),
                Column("Difference between pools", ("pool_difference",)),
                Column("Correlation between pools", ("pool_correlation",)),
                Column("Points per unit of the score", ("covariate_slope_by_source",)),
            ),
        ),
    ),
    "turns": (
        (
            "Change over turns, with 95% CIs",
            (
                Column("Points per turn", ("turn_slope",)),
                Column("Difference in points per turn", ("turn_slope_difference",)),
                Column("Weight of the turn in the rating of the whole", ("whole_on_turns",)),
            ),
        ),
    ),
    "judges": (
        (
            "Model judges compared with human raters, with 95% CIs",
            (
                Column("Agreement with people", ("judge_correlation", "judge_share")),
                Column("Human ceiling", ("ceiling_correlation", "ceiling_share")),
                Column("Alternative annotator test: winning rate", ("alt_test_winning_rate",)),
                Column("Advantage probability", ("alt_test_advantage_probability",)),
                Column("Units per rater to pass", ("alt_test_units_needed",)),
            ),
        ),
        (
            "Biases of judges",
            (
                Column("Self-preference", ("self_preference",)),
                Column("Length", ("length_bias",)),
                Column("Same after swap", ("side_consistency",)),
                Column("Same when asked again", ("retest_agreement",)),
            ),
        ),
        (
            "Calibration: the judge's probabilities compared with human raters, with 95% CIs",
            (
                Column("Mean probability of its answers", ("stated_probability",)),
                Column("Human raters who agree", ("agreeing_share",)),
                Column("Overconfidence", ("overconfidence",)),
                Column("Expected calibration error", ("calibration_error",)),
                Column("Brier score", ("brier_score",)),
                Column("Lowest possible Brier score", ("brier_lowest",)),
            ),
        ),
    ),
    "items": (("Share of items with split opinions", (Column("Split opinions", ("split_share",)),)),),
}
