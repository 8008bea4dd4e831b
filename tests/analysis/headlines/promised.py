"""What docs/templates.md promises beside the primary results of each template, as records of its report."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Record:
    """A record of the report: its statistic, the keys of its scope, and optionally more.

    `scope` also lists values, such as `pool=crowd`. `questions` have such a record each. `method` is how it begins.
    """

    statistic: str
    scope: str = ""
    questions: tuple[str, ...] = ()
    method: str = ""
    unit: str = ""
    values: dict[str, object] = field(default_factory=dict)


SOURCE, PAIR = "source", "reference source"
_PERCEIVED = (
    *("understood", "validated", "affirmed", "seen", "accepted", "cared_for"),
    *("emotional_support", "practical_support", "motivation"),
)
_FOUR = ("emotional_understanding", "emotional_response", "contextual_adaptation", "language_naturalness")
_LISTENING = (
    *("validating_emotions", "encouraging_elaboration", "demonstrating_understanding"),
    *("advice_giving", "self_oriented", "dismissing_emotions"),
)
_COMPONENTS = ("affective_matching", "other_oriented_perspective", "self_other_differentiation")
ALPHA = "krippendorff_alpha_ordinal"

# the phrases of "Also reported", in their order, each with its records
PROMISED: dict[str, dict[str, list[Record]]] = {
    "ayers-pair": {
        "Wilson intervals with and without continuity correction": [
            Record("share_preferred", PAIR, method="wilson:"),
            Record("share_preferred", PAIR, method="wilson_cc:"),
        ],
        "paired t tests": [Record("t_paired", PAIR, ("quality", "empathy"))],
        "share of item means at or above 4 and its ratio": [
            Record("share_at_least", "cut source", ("quality", "empathy"), unit="item_mean"),
            Record("share_at_least_ratio", f"cut {PAIR}", ("quality", "empathy")),
        ],
        "agreement pooled and by source": [
            Record(ALPHA, "", ("quality", "empathy")),
            Record(ALPHA, SOURCE, ("quality", "empathy")),
        ],
    },
    "three-point": {
        "change in the mean": [Record("percent_change", PAIR), Record("mean_difference", PAIR, ("empathy",))],
        "the rater's score as a covariate": [
            Record("covariate_slope_by_source", "covariate source", values={"covariate": "empathic_disposition"})
        ],
    },
    "empathetic-dialogues": {
        "means by source": [Record("mean", SOURCE, ("empathy", "relevance", "fluency"))],
        "quadratic kappa": [Record("cohen_kappa_quadratic", "raters", ("empathy", "relevance", "fluency"))],
        "alpha": [Record(ALPHA, "", ("empathy", "relevance", "fluency"))],
    },
    "epitome": {
        "distribution by source": [
            Record("median", SOURCE, ("emotional_reactions", "interpretations", "explorations")),
        ],
        "quadratic kappa": [Record("cohen_kappa_quadratic", "raters", ("emotional_reactions",))],
        "agreement on the marked words": [Record("span_alpha", "", ("emotional_reactions_rationale",))],
    },
    "ab-tie": {
        "shares of wins, ties and losses": [Record(name, PAIR) for name in ("win_share", "tie_share", "lose_share")],
        "sign test": [Record("share_preferred", PAIR, method="clopper_pearson:")],
        "Fleiss' kappa": [Record("fleiss_kappa", "", ("coherence", "empathy", "informativeness"))],
        "Bradley-Terry strengths with ties": [Record("bt_strength", PAIR)],
    },
    "four-dimensions": {
        "mean and difference for each dimension": [
            Record("mean", SOURCE, _FOUR),
            Record("mean_difference", PAIR, _FOUR),
        ]
    },
    "perceived-empathy": {
        "each question": [Record("mean_difference", PAIR, _PERCEIVED)],
        "agreement on each": [Record(ALPHA, "", _PERCEIVED)],
    },
    "lend-an-ear": {
        "each question as rated": [Record("mean_difference", PAIR, _LISTENING)],
        "agreement among the crowd": [Record(ALPHA, "pool", _LISTENING, values={"pool": "crowd"})],
        "and of model judges separately": [Record(ALPHA, "rater_kind", _LISTENING)],
    },
    "expert-panel": {
        "alpha with ratings missing by design": [Record(ALPHA, "", ("alignment", "empathy"))],
        "mean and SD by source": [
            Record("mean", SOURCE, ("alignment", "empathy")),
            Record("sd", SOURCE, ("alignment", "empathy")),
        ],
        "shares of harm and of errors": [Record("code_share", SOURCE, ("harm=yes", "factuality=minor"))],
    },
    "label-experiment": {
        "means of true source by shown label with their interaction": [
            Record("mean", "shown_label source", ("empathy", "felt_heard")),
            Record("interaction", f"{PAIR} shown_label", ("empathy", "felt_heard")),
        ],
        "d-prime": [Record("dprime")],
        "the effect of the believed source": [
            Record("belief_effect", "covariate source", ("empathy", "felt_heard")),
        ],
    },
    "perspective-taking": {
        "each component by condition and source": [Record("mean", "condition source", _COMPONENTS)],
    },
    "dialogue-trajectory": {
        "the mean of each turn by source": [Record("mean", "source turn", ("met_now",))],
        "the weight of each turn in the rating of the whole": [Record("whole_on_turns", "covariate turn")],
    },
    "warmth-reliability": {
        "their correlation": [Record("correlation", "covariate", ("warmth",), method="two_way_cluster_t")],
        "results by the item's `mood` and `claim`": [
            Record("accuracy_share", "subgroup", ("verdict",)),
            Record("mean_difference", f"{PAIR} subgroup", ("warmth", "correctness")),
        ],
    },
    "behaviours": {
        "frequency of every code by source with intervals": [
            Record("code_share", SOURCE, ("behaviours=advises", "behaviours=asks")),
        ],
        "agreement on each behaviour": [
            Record("krippendorff_alpha_nominal", "", ("behaviours=advises", "behaviours=asks"))
        ],
    },
    "theory-of-mind": {
        "proportion of correct answers": [Record("accuracy_share", "", ("belief", "emotion"))],
        "model judges separately": [Record("accuracy_share", "rater_kind", ("belief", "emotion"))],
        "accuracy by kind of story": [Record("accuracy_share", "subgroup", ("belief", "emotion"))],
    },
    "recipient": {
        "change in mood": [Record("change", "before")],
    },
    "rater-scales": {
        "the other subscales": [
            Record("covariate_slope_by_source", "covariate source", values={"covariate": name})
            for name in ("perspective_taking", "personal_distress")
        ],
        "Cronbach's alpha and omega": [
            Record(name, "", ("perspective_taking", "empathic_concern", "personal_distress"))
            for name in ("cronbach_alpha", "omega")
        ],
    },
    "emotion-recognition": {
        "proportion of correct answers": [Record("accuracy_share")],
        "macro F1": [Record("f1_macro")],
        "the confusion table": [Record("confusion_share", "category correct")],
        "F1 of each emotion": [Record("f1", "category")],
        "accuracy by intensity": [Record("accuracy_share", "subgroup")],
    },
    "emotion-cause": {
        "F1 of people and of models": [Record("span_f1"), Record("span_f1", "rater_kind")],
        "precision and recall": [Record("span_precision"), Record("span_recall")],
    },
    "before-after": {"change within each arm": [Record("change", "before factor level")]},
    "ranking": {
        "mean ranks": [Record("mean_rank", SOURCE)],
        "Kendall's W": [Record("kendall_w_within_items")],
    },
    "refusal-by-turn": {
        "the mean of each turn by source": [Record("mean", "source turn", ("compliance",))],
        "warmth of the whole conversation": [
            Record("mean", SOURCE, ("warmth",)),
            Record("mean_difference", PAIR, ("warmth",)),
        ],
    },
    "bias-audit": {"means by source": [Record("mean", SOURCE, ("empathy",))]},
    "emotion-change": {
        "Cronbach's alpha of the scores": [Record("cronbach_alpha", "", ("negative_before", "negative_after"))]
    },
    "written-with-ai": {
        "each score": [Record("mean_difference", PAIR, ("emotional_reactions", "interpretations", "explorations"))],
        "shares of wins, ties and losses": [Record(name, PAIR) for name in ("win_share", "tie_share", "lose_share")],
    },
    "suggestions": {
        "change within each arm": [Record("change", "before factor level")],
        "how empathetic writers find their own responses": [Record("mean_difference", PAIR, ("empathic",))],
        "how difficult it was to write": [Record("mean", SOURCE, ("challenging",))],
    },
    "several-models": {
        "means by source": [Record("mean", SOURCE, ("empathy",))],
        "every pair of sources": [
            Record("mean_difference", PAIR, values={"source": "model_c", "reference": "model_b"})
        ],
    },
    "reasoning-models": {"means by model": [Record("mean", SOURCE, ("empathy", "solving"))]},
    "empathic-dyads": {
        "how sure raters are and how understood they feel": [Record("mean", SOURCE, ("sure", "felt_understood"))],
        "means of the feelings": [Record("mean", SOURCE, ("felt", "inferred"))],
    },
    "venting": {"change within each arm": [Record("change", "before factor level")]},
    "case-heard": {
        "the same effects on how fairly raters would feel treated": [
            Record("amce", "attribute level reference_level", ("fair",)),
            Record("trade_off", "attribute level reference_level covariate", ("fair",)),
        ]
    },
    "empathy-scale": {
        "loadings of every statement with intervals": [
            Record("factor_loading_1", "covariate", ("perceived_empathy",)),
            Record("factor_loading_2", "covariate", ("perceived_empathy",)),
            Record("unique_variance", "covariate", ("perceived_empathy",)),
        ],
        "Cronbach's alpha and omega of both scores": [
            Record("cronbach_alpha", "", ("responsiveness", "understanding")),
            Record("omega", "", ("responsiveness", "understanding")),
        ],
    },
    "follow-up": {
        "change within each arm": [Record("change", "before factor level", ("low_mood@2", "low_mood@3"))],
        "Cronbach's alpha of the score": [Record("cronbach_alpha", "", ("low_mood",))],
    },
    "conjoint": {"the same effects on trust": [Record("amce", "attribute level reference_level", ("trust",))]},
}
