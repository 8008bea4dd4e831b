"""Every statistic of the records, with its name for people and the kind of its values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

Kind = Literal["share", "coefficient", "points", "test", "ratio", "count", "percent", "share_points", "slope"]


@dataclass(frozen=True, slots=True)
class Statistic:
    """The name of a statistic on pages, and how its values are formatted.

    share: from 0 to 1, shown as a percentage · coefficient: at most 1 · points: of the question's scale · test: a test
    statistic · ratio: 1 means no difference · count: an integer · percent: already a percentage · share_points: a
    difference of two shares, shown in percentage points · slope: small values per unit of something

    `no_difference` is the value of a comparison that means no difference; None for statistics that compare nothing.
    """

    words: str
    kind: Kind
    no_difference: float | None = None


# The page of docs/statistics from each of these statistics on, in the order of STATISTICS.
PAGES = {
    "median": "comparison",
    "rank_correlation": "texts",
    "halo": "comparison",
    "factor_effect": "contrasts",
    "krippendorff_alpha_nominal": "agreement",
    "flagged_share": "raters",
    "judge_correlation": "judges",
}
# Measures of texts that are shares; the others have units of their own.
SHARES = frozenset({"question_share", "first_person_share", "advice_share"})


@cache
def page_of(statistic: str) -> str:
    """Return the page of the documentation with the formula, such as `docs/statistics/agreement.md`."""
    keys = [*STATISTICS]
    begun = [key for key in keys[: keys.index(statistic) + 1] if key in PAGES]
    return f"docs/statistics/{PAGES[begun[-1]]}.md"


STATISTICS: dict[str, Statistic] = {
    "median": Statistic("Median", "points"),
    "mode": Statistic("Most frequent value", "points"),
    "mean": Statistic("Mean", "points"),
    "sd": Statistic("Standard deviation", "points"),
    "mean_difference": Statistic("Mean difference", "points", 0.0),
    "mean_difference_clmm": Statistic("Mean difference predicted by the ordinal mixed model", "points", 0.0),
    "odds_ratio_clmm": Statistic("Odds ratio of a higher rating (ordinal mixed model)", "ratio", 1.0),
    "probit_shift_clmm": Statistic("Latent shift in SD units (probit mixed model)", "points", 0.0),
    "share_at_least_clmm": Statistic("Share at or above the cut, predicted by the ordinal mixed model", "share"),
    "sd_item_clmm": Statistic("SD of items, latent scale", "points"),
    "sd_rater_clmm": Statistic("SD of raters, latent scale", "points"),
    "sd_item_slope_clmm": Statistic("SD of the difference over items, latent scale", "points"),
    "sd_rater_slope_clmm": Statistic("SD of the difference over raters, latent scale", "points"),
    "threshold_clmm": Statistic("Threshold below the cut, latent scale", "points"),
    "proportional_odds_trend": Statistic("Trend of the log odds ratio over the points", "points"),
    "log_odds_ratio_at_least": Statistic("Log odds ratio at the cut", "points", 0.0),
    "mean_rank": Statistic("Mean rank (1 is first)", "points"),
    "equivalence": Statistic("Equivalence within the margin", "points", 0.0),
    "non_inferiority": Statistic("Non-inferiority by the margin", "points", 0.0),
    "prob_superiority": Statistic("Probability of superiority (same rater, same item)", "share", 0.5),
    "cliffs_delta": Statistic("Cliff's delta within item and rater", "coefficient", 0.0),
    "prob_superiority_unpaired": Statistic("Probability of superiority (unpaired)", "share", 0.5),
    "cliffs_delta_unpaired": Statistic("Cliff's delta, unpaired", "coefficient", 0.0),
    "wilcoxon": Statistic("Wilcoxon signed-rank V", "test"),
    "mann_whitney": Statistic("Mann-Whitney U", "test"),
    "rank_biserial": Statistic("Rank-biserial r", "coefficient", 0.0),
    "chi_square": Statistic("Chi-square", "test"),
    "t_paired": Statistic("Paired t on item means", "test"),
    "t_unpaired": Statistic("Unpaired t on item means", "test"),
    "share_at_least": Statistic("Share at or above the cut", "share"),
    "share_at_least_ratio": Statistic("Ratio of shares at or above the cut", "ratio", 1.0),
    "code_share": Statistic("Share with this code", "share"),
    "accuracy_share": Statistic("Proportion correct", "share"),
    "dprime": Statistic("Detection d'", "points", 0.0),
    "criterion": Statistic("Response criterion c (above 0: models identified too rarely)", "points"),
    "detection_share": Statistic("Proportion correctly identified", "share"),
    "belief_effect": Statistic("Belief effect: rating if believed model minus if believed human", "points", 0.0),
    "interaction": Statistic("Interaction (difference in differences)", "points", 0.0),
    "share_difference": Statistic("Difference in share (percentage points)", "share_points", 0.0),
    "cronbach_alpha": Statistic("Cronbach's alpha", "coefficient"),
    "omega": Statistic("McDonald's omega", "coefficient"),
    "cronbach_alpha_without": Statistic("Cronbach's alpha without the question", "coefficient"),
    "item_rest_correlation": Statistic("Correlation with the other questions", "coefficient"),
    "correlation": Statistic("Correlation", "coefficient"),
    "rank_correlation": Statistic("Rank correlation", "coefficient"),
    "text_mean": Statistic("Mean over texts", "points"),
    "text_difference": Statistic("Difference between texts", "points", 0.0),
    "mean_difference_at_equal": Statistic("Mean difference at equal covariate", "points", 0.0),
    "covariate_slope": Statistic("Slope per unit of the covariate", "points", 0.0),
    "halo": Statistic("Halo: correlation within the response", "coefficient"),
    "share_preferred": Statistic("Share preferred", "share", 0.5),
    "tie_share": Statistic("Share of ties", "share"),
    "neither_share": Statistic("Share choosing neither", "share"),
    "first_side_share": Statistic("Share choosing the left side", "share"),
    "bt_strength": Statistic("Strength (log ability)", "points", 0.0),
    "bt_contrast": Statistic("Difference of strengths", "points", 0.0),
    "position_effect": Statistic("Effect of the left side (log odds)", "points", 0.0),
    "tie_log_nu": Statistic("Tie parameter (log nu)", "points"),
    "intransitive_triples": Statistic("Intransitive triples of sources", "test"),
    "share_preferred_at_equal": Statistic("Share preferred at equal covariate", "share", 0.5),
    "covariate_log_odds": Statistic("Log odds per unit of the covariate", "points", 0.0),
    "odds_preferred_glmm": Statistic("Odds of being preferred (mixed model)", "ratio", 1.0),
    "share_preferred_glmm": Statistic("Share preferred (mixed model)", "share", 0.5),
    "choice_coherence": Statistic("Choices consistent with the rater's own ratings", "share"),
    "preference_strength": Statistic("Mean strength of preference", "points", 0.0),
    "factor_effect": Statistic("Effect of the factor", "points", 0.0),
    "attribute_effect": Statistic("Effect of an attribute of the sources", "points", 0.0),
    "category_difference": Statistic("Difference in share with this code (percentage points)", "share_points", 0.0),
    "cochran_q": Statistic("Cochran's Q", "test"),
    "stuart_maxwell": Statistic("Stuart-Maxwell chi-square", "test"),
    "pool_difference": Statistic("Difference between pools of raters", "points", 0.0),
    "pool_correlation": Statistic("Correlation between pools of raters", "coefficient"),
    "percent_change": Statistic("Percentage difference from the reference", "percent", 0.0),
    "turn_slope": Statistic("Points per turn", "points", 0.0),
    "turn_slope_difference": Statistic("Difference in points per turn", "points", 0.0),
    "whole_on_turns": Statistic("Weight of the turn in the rating of the whole", "points"),
    "covariate_slope_by_source": Statistic("Points per unit of the rater's score", "slope", 0.0),
    "covariate_slope_within_raters": Statistic("Points per unit of the covariate, within raters", "slope", 0.0),
    "amce": Statistic("Average marginal component effect", "points", 0.0),
    "change": Statistic("Change from before to after", "points", 0.0),
    "change_difference": Statistic("Difference in change between arms (ANCOVA)", "points", 0.0),
    "empathic_accuracy": Statistic("Empathic accuracy (mean correlation with the target's own account)", "coefficient"),
    "f1_macro": Statistic("Macro F1 against the key", "share"),
    "f1": Statistic("F1 of the code", "share"),
    "confusion_share": Statistic("Share of answers with this code, by correct code", "share"),
    "items_needed": Statistic("Items per rater for a reliability of .8", "count"),
    "span_alpha": Statistic("Krippendorff's alpha of marked characters", "coefficient"),
    "span_f1": Statistic("F1 of marked characters against the key", "share"),
    "span_precision": Statistic("Precision of marked characters", "share"),
    "span_recall": Statistic("Recall of marked characters", "share"),
    "dif_odds_ratio": Statistic("Uniform DIF: odds ratio of a higher rating", "ratio", 1.0),
    "dif_nonuniform": Statistic("Nonuniform DIF: chi-square", "test"),
    "dif_total": Statistic("Uniform and nonuniform DIF: chi-square", "test"),
    "dif_r2_change": Statistic("DIF: change in R²", "slope"),
    "phi_coefficient": Statistic("Phi: reliability of the mean (severity counted as error)", "coefficient"),
    "g_coefficient": Statistic("G: reliability of the ranking of the means", "coefficient"),
    "raters_needed": Statistic("Ratings per response for a reliability of .8", "count"),
    "krippendorff_alpha_nominal": Statistic("Krippendorff's alpha, nominal", "coefficient"),
    "krippendorff_alpha_ordinal": Statistic("Krippendorff's alpha, ordinal", "coefficient"),
    "krippendorff_alpha_interval": Statistic("Krippendorff's alpha, interval", "coefficient"),
    "krippendorff_alpha_ratio": Statistic("Krippendorff's alpha, ratio", "coefficient"),
    "percent_agreement": Statistic("Percent agreement", "share"),
    "unanimous_share": Statistic("Share of unanimous units", "share"),
    "within_one_agreement": Statistic("Agreement within one point", "share"),
    "fleiss_kappa": Statistic("Fleiss' kappa", "coefficient"),
    "gwet_ac1": Statistic("Gwet's AC1", "coefficient"),
    "gwet_ac2": Statistic("Gwet's AC2, quadratic weights", "coefficient"),
    "brennan_prediger": Statistic("Brennan and Prediger's coefficient", "coefficient"),
    "kendall_w": Statistic("Kendall's W", "coefficient"),
    "kendall_w_within_items": Statistic("Kendall's W within items, mean", "coefficient"),
    "rank_correlation_within_items": Statistic("Rank correlation of two raters within items, mean", "coefficient"),
    "icc_a_1": Statistic("ICC(A,1): agreement of one rating", "coefficient"),
    "icc_a_k": Statistic("ICC(A,k): agreement of the mean", "coefficient"),
    "icc_c_1": Statistic("ICC(C,1): consistency of one rating", "coefficient"),
    "icc_c_k": Statistic("ICC(C,k): consistency of the mean", "coefficient"),
    "icc_1_1": Statistic("ICC(1): one rating, raters unknown", "coefficient"),
    "icc_1_k": Statistic("ICC(k): the mean, raters unknown", "coefficient"),
    "cohen_kappa": Statistic("Cohen's kappa", "coefficient"),
    "cohen_kappa_linear": Statistic("Cohen's kappa, linear weights", "coefficient"),
    "cohen_kappa_quadratic": Statistic("Cohen's kappa, quadratic weights", "coefficient"),
    "split_share": Statistic("Share of units with split opinions", "share"),
    "unit_disagreement": Statistic("Disagreement (0 none, 1 chance level)", "points"),
    "pair_kappa_median": Statistic("Median kappa over pairs of raters", "coefficient"),
    "flagged_share": Statistic("Share of raters flagged", "share"),
    "checks_passed_share": Statistic("Share of checks passed", "share"),
    "median_seconds": Statistic("Median seconds per trial", "points"),
    "leave_one_out_correlation": Statistic("Correlation with the mean of the others", "coefficient"),
    "leave_one_out_share": Statistic("Share of other raters who agree", "share"),
    "severity": Statistic("Severity (points below the other raters)", "points"),
    "rater_severity": Statistic("Severity (log odds of a lower rating)", "points"),
    "consistency": Statistic("Inconsistency (residual SD)", "points"),
    "longest_run": Statistic("Longest run of identical answers", "count"),
    "modal_share": Statistic("Share of the most frequent answer", "share"),
    "answer_entropy": Statistic("Entropy of the answers in bits", "points"),
    "answer_sd": Statistic("SD of the rater's answers", "points"),
    "longest_side_run": Statistic("Longest run of the same side", "count"),
    "intra_rater_agreement": Statistic("Intra-rater agreement", "share"),
    "intra_rater_within_one": Statistic("Intra-rater agreement within one point", "share"),
    "intra_rater_kappa": Statistic("Intra-rater kappa", "coefficient"),
    "dawid_skene_share": Statistic("Share by the Dawid-Skene model", "share"),
    "dawid_skene_changed_share": Statistic("Share of units where Dawid-Skene differs from the majority", "share"),
    "dawid_skene_accuracy": Statistic("Expected accuracy (Dawid-Skene)", "share"),
    "judge_correlation": Statistic("Judge's correlation with the mean of human raters", "coefficient"),
    "ceiling_correlation": Statistic("Human ceiling: correlation with the mean of the other raters", "coefficient"),
    "judge_share": Statistic("Share of human raters who agree with the judge", "share"),
    "ceiling_share": Statistic("Human ceiling: share of other raters who agree", "share"),
    "alt_test_winning_rate": Statistic("Alternative annotator test: winning rate", "share"),
    "alt_test_advantage_probability": Statistic("Alternative annotator test: advantage probability", "share"),
    "alt_test_units_needed": Statistic("Alternative annotator test: units per rater for 80% power", "count"),
    "self_preference": Statistic("Self-preference: extra rating of its own model family", "points", 0.0),
    "side_consistency": Statistic("Same answer after swapping sides", "share"),
    "retest_agreement": Statistic("Same answer when asked again on the same sides", "share"),
    "length_bias": Statistic("Effect of length on the judge minus its effect on people", "points", 0.0),
    "brier_score": Statistic("Brier score of the judge's probabilities (0 is best, 2 worst)", "coefficient"),
    "brier_lowest": Statistic("Lowest Brier score that human disagreement allows", "coefficient"),
    "calibration_error": Statistic("Expected calibration error", "share"),
    "overconfidence": Statistic("Judge's mean probability minus share of human raters who agree", "share"),
    "stated_probability": Statistic("Judge's mean probability of its answers", "share"),
    "agreeing_share": Statistic("Share of human raters who agree with the judge, mean over units", "share"),
    "calibration_bin_probability": Statistic("Judge's mean probability within the bin", "share"),
    "calibration_bin_share": Statistic("Share of human raters who agree within the bin", "share"),
}
