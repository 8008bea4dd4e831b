"""What the paper behind each template reports first, and data simulated with this effect."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from itertools import permutations
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import brentq

from app.protocol.questions.rating import RatingQuestion
from tests.analysis.headlines.driven import right_by
from tests.analysis.headlines.simulated_ratings import NOISE, SEVERITY, TIED, Effect
from tests.kit.templates import template_study

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random

    from tests.analysis.headlines.simulated_ratings import Seen

NORMAL = NormalDist()
TURNED = {"sure_of_myself", "not_disturbed", "calm_emergency"}
BAD = {"advice_giving", "self_oriented", "dismissing_emotions"}


@dataclass(frozen=True)
class Seed:
    """A headline: the paper, what it says in our words, the size simulated, and which primary contrast states it.

    `truth` is the simulated size in the unit of the estimate, and `null` the size of no effect. `contrast` are parts of
    a primary contrast of the template, and `scope` those of its estimate. `is_assumed`: the paper gives no number for
    this contrast, only a direction or a question.
    """

    template: str
    paper: str
    says: str
    contrast: Mapping[str, str]
    effect: Effect
    truth: float
    null: float = 0.0
    scope: Mapping[str, str] = field(default_factory=dict)
    is_assumed: bool = False


@cache
def _scale(template: str, question: str) -> tuple[Any, float, NormalDist]:
    """Return the points of a question, their middle, and how answers to it are spread before rounding."""
    asked = next(one for one in template_study(template).protocol.questions if one.key == question)
    assert isinstance(asked, RatingQuestion)
    points = np.array(asked.values, float)
    step = float(points[1] - points[0])
    return points, float(points[0] + points[-1]) / 2, NormalDist(0, step * (NOISE**2 + SEVERITY**2) ** 0.5)


@cache
def reach(template: str, question: str, mean: float) -> float:
    """Return how far answers must lean for this mean, which rounding and the ends of the scale would else shift."""
    points, middle, spread = _scale(template, question)

    def gap(lean: float) -> float:
        above = (1 - spread.cdf(edge - middle - lean) for edge in (points[1:] + points[:-1]) / 2)
        return float(points[0] + (points[1] - points[0]) * sum(above) - mean)

    return float(brentq(gap, points[0] - points[-1] - 5, points[-1] - points[0] + 5))


def reach_share(template: str, question: str, cut: float, share: float) -> float:
    """Return how far answers must lean for this share of answers at or above a point of the scale."""
    points, middle, spread = _scale(template, question)
    return float(cut - (points[1] - points[0]) / 2 - middle + spread.inv_cdf(share))


def means(
    template: str, wanted: Mapping[str, float], by: Callable[[Seen], str] = lambda seen: seen.source, only: str = ""
) -> Callable[[str, Seen], float]:
    """Return a `lean` with these means on every rating, by source or by what `by` returns; others at the middle."""
    of = {one.key: one for one in template_study(template).protocol.questions}

    def lean(question: str, seen: Seen) -> float:
        is_reached = isinstance(of[question], RatingQuestion) and only in {"", question} and by(seen) in wanted
        return reach(template, question, wanted[by(seen)]) if is_reached else 0.0

    return lean


def worth(**preferred: float) -> Callable[[str, Seen], float]:
    """Return a `lean` with which each source is chosen over the others in this share of choices."""
    return lambda _, seen: NORMAL.inv_cdf(preferred[seen.source]) if seen.source in preferred else 0.0


def rank_above(**share: float) -> Callable[[str, Seen], float]:
    """Return a `lean` with which each source is ranked above the others with this probability; both vary."""
    return lambda _, seen: 2**0.5 * NORMAL.inv_cdf(share[seen.source]) if seen.source in share else 0.0


def codes(chosen: str, other: str, **share: float) -> Callable[[str, Seen, Random], str]:
    """Return a `code` that chooses the code with this probability by source."""
    return lambda _, seen, rng: chosen if rng.random() < share[seen.source] else other


def right_for(person: float, model: float) -> Callable[[str, Seen, Random], str]:
    """Return a `code` that is correct with these probabilities for people and models."""
    return lambda question, seen, rng: right_by(model if seen.kind == "model" else person)(question, seen, rng)


def _recognized(_question: str, seen: Seen, rng: Random) -> str:
    emotions = ("joy", "relief", "sadness", "anger", "fear", "shame")
    right = seen.item["emotion"]
    is_right = rng.random() < (0.85 if seen.kind == "model" else 0.65)
    return right if is_right else rng.choice([one for one in emotions if one != right])


def _altered(question: str, seen: Seen, rng: Random) -> str:
    is_altered = seen.kind == "model" and seen.item["version"] == "altered"
    return right_by(0.4 if is_altered else 0.9)(question, seen, rng)


def _half_marked(_question: str, seen: Seen, rng: Random) -> str:
    """People mark the causes, models half of each in every second text: F1 is 2 * .75 / 1.75."""
    spans = [tuple(map(int, one.split("-"))) for one in seen.item["cause_key"].split("|")]
    is_short = seen.kind == "model" and rng.random() < 0.5
    return "|".join(f"{begin}-{(begin + end) // 2 if is_short else end}" for begin, end in spans)


def _listening(question: str, seen: Seen) -> float:
    mean = 3.4 if seen.source == "model" else 2.9
    return reach("lend-an-ear", question, 6 - mean if question in BAD else mean)


def _felt(_question: str, seen: Seen) -> float:
    """The feeling has a variance of 434 over the moments, and each answer one of 64 more: r = 434 / (434 + 64)."""
    return (0.0, -25.0, 25.0, 10.0, 35.0)[(seen.turn - 1) % 5]


_MOMENTS = np.array([0.0, -25.0, 25.0, 10.0, 35.0])


def _half_felt(question: str, seen: Seen) -> float:
    """Models sense half of the movement of the feeling."""
    return _felt(question, seen) * (0.5 if seen.kind == "model" else 1.0)


def _mean_z(share: float) -> float:
    """The mean of Fisher's z of five moments whose feeling moves by this share: that of many drawn correlations."""
    rng, shape = np.random.default_rng(1), (20_000, len(_MOMENTS))
    felt, sensed = (part * _MOMENTS + rng.normal(0, 10 * NOISE, shape) for part in (1.0, share))
    u, v = (one - one.mean(axis=1, keepdims=True) for one in (felt, sensed))
    r = (u * v).sum(axis=1) / np.sqrt((u**2).sum(axis=1) * (v**2).sum(axis=1))
    return float(np.arctanh(r).mean())


_Z_OF_MODELS, _Z_OF_PEOPLE = _mean_z(0.5), _mean_z(1.0)


def _angered(question: str, seen: Seen) -> float:
    is_negative = question.partition("_")[0] in {"upset", "hostile", "irritable"}
    after = 2.6 if seen.kind == "model" else 3.4
    return reach("emotion-change", question, after if is_negative and question.endswith("after") else 2.0)


def _scores(question: str, seen: Seen) -> float:
    mean = 4.0 if seen.kind == "model" else 3.4
    return 0.0 if seen.source else reach("rater-scales", question, 6 - mean if question in TURNED else mean)


def _good(question: str, seen: Seen) -> float:
    """People are rated Good in 45% of answers, model A in 31% more."""
    share = {"human": 0.45, "model_a": 0.45 * 1.31}.get(seen.source, 0.5)
    return reach_share("three-point", question, 3, share) if seen.source else 0.0


def _vented(question: str, seen: Seen) -> float:
    """Anger, frustration and tension end at 2.9 in the one arm and 2.4 in the other; nothing else changes."""
    is_angry = question.partition("_")[0] in {"angry", "frustrated", "tense"}
    if not is_angry or question.endswith("before"):
        return 0.0
    return reach("venting", question, 2.4 if seen.rater % 2 else 2.9)


def _thinking(seen: Seen) -> str:
    return seen.source.partition("_")[0]


def _profile(seen: Seen) -> str:
    return seen.condition.get("profile", "")


def _group(seen: Seen) -> str:
    return f"{seen.source} {seen.item['group']}"


def _of(question: str, test: str, **parts: str) -> dict[str, str]:
    return {"question": question, "test": test, **parts}


def _chosen(level: Callable[[str], bool], lean: Mapping[str, float]) -> float:
    """Return how much more often responses with the level are chosen, over all pairs of these responses."""
    shown = [(one, NORMAL.cdf(lean[one] - lean[other])) for one, other in permutations(lean, 2)]
    of = {side: [won for one, won in shown if level(one) is side] for side in (True, False)}
    return sum(of[True]) / len(of[True]) - sum(of[False]) / len(of[False])


_CONJOINT = {"accurate_warm": 1.2, "accurate_cool": 0.8, "inaccurate_warm": 0.4, "inaccurate_cool": 0.0}
_HEARD = {"person_95": 1.2, "person_80": 0.8, "model_95": 0.4, "model_80": 0.0}
_MODELS = {"rater_kind": "model", "reference_rater_kind": "person"}
SEEDS: tuple[Seed, ...] = (
    Seed(
        "ayers-pair",
        "Ayers et al. 2023",
        "Evaluators preferred the chatbot's response in 78.6% of 585 evaluations",
        _of("preference", "share_preferred"),
        Effect(worth(chatbot=0.786), copies=4),
        *(0.786, 0.5),
    ),
    Seed(
        "ayers-pair",
        "Ayers et al. 2023",
        "Mean empathy is 3.65 for the chatbot and 2.15 for physicians",
        _of("empathy", "mean_difference"),
        Effect(means("ayers-pair", {"chatbot": 3.65, "physician": 2.15}), copies=4),
        1.5,
    ),
    Seed(
        "three-point",
        "Welivita & Pu 2024",
        "About 31% more responses are rated *Good* for GPT-4 than for people",
        _of("empathy", "percent_change_at_least"),
        Effect(_good, n_raters=60, copies=4),
        31.0,
        scope={"source": "model_a"},
    ),
    Seed(
        "empathetic-dialogues",
        "Rashkin et al. 2019",
        "Empathy is 3.25 for the fine-tuned generation model and 4.19 for people's own replies",
        _of("empathy", "mean_difference"),
        Effect(means("empathetic-dialogues", {"generation": 3.25, "person": 4.19, "retrieval": 3.45}), copies=4),
        -0.94,
        scope={"source": "generation"},
    ),
    Seed(
        "epitome",
        "Sharma et al. 2020",
        "Empathy in text has three mechanisms, each none, weak or strong; the contrast of sources is ours",
        _of("emotional_reactions", "mean_difference_lmm"),
        Effect(means("epitome", {"peer": 0.6, "model": 1.0}), copies=4),
        0.4,
        is_assumed=True,
    ),
    Seed(
        "ab-tie",
        "Sabour et al. 2022",
        "CEM outperforms the baselines in human evaluations",
        _of("empathy", "share_preferred"),
        Effect(worth(commonsense=0.65), copies=4),
        (NORMAL.cdf(NORMAL.inv_cdf(0.65) + TIED) + NORMAL.cdf(NORMAL.inv_cdf(0.65) - TIED)) / 2,
        null=0.5,
        scope={"source": "commonsense"},
        is_assumed=True,
    ),
    Seed(
        "four-dimensions",
        "Zhou et al. 2025",
        "Studies rate four dimensions of empathy, each in its own way; the contrast of sources is ours",
        _of("empathy", "mean_difference"),
        Effect(means("four-dimensions", {"person": 3.0, "model_a": 3.5, "model_b": 3.2}), copies=4),
        0.5,
        scope={"source": "model_a"},
        is_assumed=True,
    ),
    Seed(
        "perceived-empathy",
        "Kumar et al. 2025",
        "Perceived empathy can be judged reliably; the contrast of supporters is ours",
        _of("perceived_empathy", "mean_difference"),
        Effect(means("perceived-empathy", {"person": 4.2, "model": 4.9}), copies=4),
        0.7,
        is_assumed=True,
    ),
    Seed(
        "lend-an-ear",
        "Kumar et al. 2025",
        "Model judges approach the reliability of experts; the contrast of supporters is ours",
        _of("listening", "mean_difference_lmm"),
        Effect(_listening, copies=4),
        0.5,
        is_assumed=True,
    ),
    Seed(
        "expert-panel",
        "Zhan et al. 2024",
        "Guided reappraisals are aligned better with the principles than those of the plain prompt",
        _of("alignment", "mean_difference_lmm", source="model_guided", reference="model_plain"),
        Effect(
            means("expert-panel", {"peer": 2.8, "model_plain": 3.2, "model_guided": 4.2}), code=right_by(0.8), copies=4
        ),
        1.0,
        is_assumed=True,
    ),
    Seed(
        "label-experiment",
        "Rubin et al. 2025",
        "Responses that are said to be by a person are rated as more empathic than the same ones said to be by an AI",
        _of("empathy", "factor_effect", factor="shown_label"),
        Effect(
            means(
                "label-experiment",
                {"Written by a person": 3.4, "Written by an AI": 2.9},
                by=lambda seen: seen.shown_label,
            ),
            copies=4,
        ),
        -0.5,
        is_assumed=True,
    ),
    Seed(
        "perspective-taking",
        "Coplan 2011",
        "Empathy is imagining how the other person feels, not how oneself would feel in their place",
        _of("empathy", "factor_effect", factor="reading"),
        Effect(
            means(
                "perspective-taking",
                {"observer": 2.8, "imagine_self": 2.9, "imagine_other": 3.4},
                by=lambda seen: seen.condition.get("reading", ""),
            ),
            n_raters=30,
            copies=2,
        ),
        0.6,
        scope={"level": "imagine_other"},
        is_assumed=True,
    ),
    Seed(
        "character-knowledge",
        "Kidder et al. 2024",
        "Whether a response is right for this person can only be judged by someone who knows the person",
        _of("fit", "factor_effect", factor="profile"),
        Effect(
            means(
                "character-knowledge",
                {"hidden": 2.8, "shown": 3.5},
                by=lambda seen: seen.condition.get("profile", ""),
                only="fit",
            ),
            copies=4,
        ),
        0.7,
        is_assumed=True,
    ),
    Seed(
        "dialogue-trajectory",
        "Kumar et al. 2025",
        "Whole conversations are judged; their turns are our addition",
        _of("met_now", "turn_slope_difference"),
        Effect(
            lambda question, seen: (
                reach("dialogue-trajectory", question, 2.2 + (0.3 if seen.source == "model" else 0.1) * seen.turn)
                if seen.turn
                else 0.0
            ),
            copies=4,
        ),
        0.2,
        is_assumed=True,
    ),
    Seed(
        "warmth-reliability",
        "Ibrahim et al. 2025",
        "Models that are trained to be warmer are less reliable",
        _of("correctness", "mean_difference"),
        Effect(means("warmth-reliability", {"model_plain": 3.7, "model_warm": 3.1}), code=right_by(0.8), copies=4),
        -0.6,
        is_assumed=True,
    ),
    Seed(
        "behaviours",
        "Chiu et al. 2024",
        "Models offer problem-solving advice more often than good human therapists when clients share emotions",
        _of("behaviours", "category_difference", code="advises"),
        Effect(lambda *_: 0.0, code=codes("advises", "asks", counsellor=0.3, model_a=0.6, model_b=0.5), copies=4),
        0.3,
        scope={"source": "model_a"},
        is_assumed=True,
    ),
    Seed(
        "theory-of-mind",
        "Ullman 2023",
        "Models that solve standard stories fail on trivially altered ones",
        _of("belief", "item_attribute_accuracy", attribute="version", rater_kind="model"),
        Effect(lambda *_: 0.0, code=_altered, models=2),
        -0.5,
        is_assumed=True,
    ),
    Seed(
        "recipient",
        "Zhou et al. 2025",
        "Nearly all raters are third parties; how recipients differ from them is unknown",
        _of("understood", "pool_difference", pool="recipient", reference_pool="crowd"),
        Effect(means("recipient", {"recipient": 3.6, "crowd": 3.0}, by=lambda seen: seen.pool), n_raters=20, copies=4),
        0.6,
        is_assumed=True,
    ),
    Seed(
        "rater-scales",
        "Davis 1983",
        "Perspective taking and empathic concern are separate scores, in which groups differ",
        _of("perspective_taking", "pool_difference", **_MODELS),
        Effect(_scores, n_raters=60, models=4),
        0.6,
        is_assumed=True,
    ),
    Seed(
        "responder-level",
        "Napiwotzki et al. 2025",
        "The models' means are above the therapists' (Mann-Whitney U = 2.0, r = .92, p = .005)",
        _of("empathy", "mean_difference_responders"),
        Effect(means("responder-level", {"psychotherapist": 2.6, "model": 3.8}), n_raters=20, copies=4),
        1.2,
        is_assumed=True,
    ),
    Seed(
        "emotion-recognition",
        "Banse & Scherer 1996",
        "People recognize emotions well above chance; the contrast with models is ours",
        _of("emotion", "pool_accuracy_difference", **_MODELS),
        Effect(lambda *_: 0.0, code=_recognized, n_raters=30, models=2, copies=4),
        0.2,
        is_assumed=True,
    ),
    Seed(
        "emotion-cause",
        "Poria et al. 2021",
        "What caused an emotion is hard to find for models",
        _of("cause", "pool_span_f1_difference", **_MODELS),
        Effect(lambda *_: 0.0, span=_half_marked, models=2, copies=4),
        2 * 0.75 / 1.75 - 1,
        is_assumed=True,
    ),
    Seed(
        "empathic-accuracy",
        "Zaki et al. 2008",
        "Perceivers' ratings of a target's feelings follow the target's own",
        _of("affect", "empathic_accuracy"),
        Effect(_felt, models=1),
        434 / 498,
        is_assumed=True,
    ),
    Seed(
        "empathic-accuracy",
        "Ickes 1993",
        "Perceivers differ in empathic accuracy; the contrast with models is ours",
        _of("affect", "pool_empathic_difference", **_MODELS),
        Effect(_half_felt, models=1, copies=3),
        _Z_OF_MODELS - _Z_OF_PEOPLE,
        is_assumed=True,
    ),
    Seed(
        "before-after",
        "Meng & Dai 2021",
        "Emotional support by a person or a chatbot reduces worry",
        _of("mood_after", "change_difference", factor="writer"),
        Effect(lambda question, seen: 12.0 * (seen.rater % 2) if question == "mood_after" else 0.0, n_raters=60),
        12.0,
        is_assumed=True,
    ),
    Seed(
        "ranking",
        "Ouyang et al. 2022",
        "InstructGPT's outputs are preferred to GPT-3's in 85% of comparisons",
        _of("empathy_rank", "share_preferred"),
        Effect(rank_above(model_long=0.85), copies=4),
        *(0.85, 0.5),
        scope={"source": "model_long"},
    ),
    Seed(
        "refusal-by-turn",
        "Russinovich et al. 2024",
        "Harmless first turns lead models step by step to comply with what they refuse at once",
        _of("compliance", "turn_slope_difference"),
        Effect(
            lambda question, seen: (
                reach("refusal-by-turn", question, 0.6 + (0.4 if seen.source == "model_plain" else 0.1) * seen.turn)
                if question == "compliance"
                else 0.0
            ),
            code=codes("yes", "no", model_plain=0.6, model_guarded=0.2),
            copies=4,
        ),
        -0.3,
        is_assumed=True,
    ),
    Seed(
        "conjoint",
        "Hainmueller et al. 2014",
        "What an attribute adds to being chosen, averaged over the others, is identified by random pairs",
        _of("preference", "amce", attribute="warmth"),
        Effect(lambda _, seen: _CONJOINT[seen.source], n_raters=20, copies=4),
        _chosen(lambda one: one.endswith("warm"), _CONJOINT),
        is_assumed=True,
    ),
    Seed(
        "bias-audit",
        "Gabriel et al. 2024",
        "Responses to Black posters have 2% to 13% lower empathy than those to the control group",
        _of("empathy", "item_attribute_effect", attribute="group", source="model"),
        Effect(
            means("bias-audit", {"model minority": 3.3, "model majority": 3.8, "peer minority": 3.3}, by=_group),
            code=lambda _, _seen, rng: rng.choice(["yes", "no"]),
            copies=4,
        ),
        -0.5,
    ),
    Seed(
        "emotion-change",
        "Huang et al. 2024",
        "Models' feelings change with the situation, but not as people's do",
        _of("negative_after", "pool_change_difference", **_MODELS),
        Effect(_angered, n_raters=40, models=2),
        -0.8,
        is_assumed=True,
    ),
    Seed(
        "written-with-ai",
        "Sharma et al. 2023",
        "Suggestions of the model raise empathy, the sum of three scores from 0 to 2, by 19.6%",
        _of("expressed_empathy", "percent_change"),
        Effect(means("written-with-ai", {"peer": 1.48 / 3, "peer_assisted": 1.77 / 3}), n_raters=40, copies=4),
        19.6,
    ),
    Seed(
        "several-models",
        "Lee et al. 2024",
        "Responses of models are consistently rated as more empathic than those written by a person",
        _of("empathy", "mean_difference"),
        Effect(means("several-models", {"person": 3.8, "model_a": 4.6, "model_b": 4.3, "model_c": 4.2}), copies=4),
        0.8,
        scope={"source": "model_a"},
        is_assumed=True,
    ),
    Seed(
        "reasoning-models",
        "Wang et al. 2025",
        "Models that think before they reply become more empathetic, others more active in solving the problem",
        _of("empathy", "attribute_effect", attribute="reasoning"),
        Effect(means("reasoning-models", {"thinking": 3.4, "direct": 2.9}, by=_thinking), copies=2),
        0.5,
        is_assumed=True,
    ),
    Seed(
        "venting",
        "Hu et al. 2025",
        "Venting to a chatbot lowers anger and frustration more than writing in a journal",
        _of("negative_after", "change_difference", factor="medium"),
        Effect(_vented, n_raters=150),
        -0.5,
        is_assumed=True,
    ),
    Seed(
        "venting",
        "Hu et al. 2025",
        "It does not change felt support and loneliness",
        _of("support_after", "change_difference", factor="medium"),
        Effect(_vented, n_raters=150),
        0.0,
    ),
    Seed(
        "case-heard",
        "Kidder et al. 2024",
        "People may claim to be heard by someone who could see them as an exception, even at a cost in accuracy",
        _of("preference", "trade_off", attribute="hearer"),
        Effect(lambda _, seen: _HEARD[seen.source], n_raters=20, copies=4),
        _chosen(lambda one: one.startswith("person"), _HEARD) / _chosen(lambda one: one.endswith("95"), _HEARD),
        null=1.0,
        is_assumed=True,
    ),
)
