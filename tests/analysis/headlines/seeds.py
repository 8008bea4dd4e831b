"""What the paper behind each template reports first, and data simulated with this effect."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import permutations
from random import Random
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from scipy.optimize import brentq

from app.protocol.allocation.randomization import seeded
from app.protocol.questions.rating import RatingQuestion
from tests.analysis.headlines.driven import right_by
from tests.analysis.headlines.simulated_ratings import NOISE, SEVERITY, TIED, Effect, Seen
from tests.kit.templates import template_study

NORMAL = NormalDist()
TURNED = {"sure_of_myself", "not_disturbed", "calm_emergency"}
LISTENING = {"validating_emotions", "encouraging_elaboration", "demonstrating_understanding"}
BAD = {"advice_giving", "self_oriented", "dismissing_emotions"}
# `paper`: printed there, or computed from its published data; `no number`: the paper has none for this contrast;
# `not found`: it has one, which neither its abstract nor its published data show
Origin = Literal["paper", "no number", "not found"]


@dataclass(frozen=True)
class Seed:
    """A headline: the paper, what it says in our words, the size simulated, and which primary contrast states it.

    `truth` is the simulated size in the unit of the estimate, and `null` the size of no effect. `contrast` are parts of
    a primary contrast of the template, and `scope` those of its estimate. `simulated` says the size in words, and
    `origin` where it is from.
    """

    template: str
    paper: str
    says: str
    contrast: Mapping[str, str]
    effect: Effect
    truth: float
    null: float = 0.0
    scope: Mapping[str, str] = field(default_factory=dict)
    simulated: str = ""
    origin: Origin = "paper"


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

    lowest = float(points[0] - points[-1] - 5)
    return lowest if mean <= points[0] else float(brentq(gap, lowest, points[-1] - points[0] + 5))


def reach_share(template: str, question: str, cut: float, share: float) -> float:
    """Return how far answers must lean for this share of answers at or above a point of the scale."""
    points, middle, spread = _scale(template, question)
    return float(cut - (points[1] - points[0]) / 2 - middle + spread.inv_cdf(share))


def means(
    template: str, wanted: Mapping[str, float], by: Callable[[Seen], str] = lambda seen: seen.source, only: str = ""
) -> Callable[[str, Seen], float]:
    """Return a `lean` with these means on every rating, by source or by what `by` returns; others at the middle."""

    def lean(question: str, seen: Seen) -> float:
        asked = template_study(template).protocol.question(question)
        is_reached = isinstance(asked, RatingQuestion) and only in {"", question} and by(seen) in wanted
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
    return lambda asked, seen, rng: (
        "none" if asked == "moral" else chosen if rng.random() < share[seen.source] else other
    )


def recognized(_question: str, seen: Seen, rng: Random) -> str:
    emotions = ("joy", "relief", "sadness", "anger", "fear", "shame")
    right = seen.item["emotion"]
    is_right = rng.random() < (0.81 if seen.kind == "model" else 0.56)
    return right if is_right else rng.choice([one for one in emotions if one != right])


# the paper's probabilities of the wrong answer: 95, 98, 97 and 87% (contents), 94, 97, 97 and 99% (transfer)
_RIGHT_ALTERED = 1 - (0.95 + 0.98 + 0.97 + 0.87 + 0.94 + 0.97 + 0.97 + 0.99) / 8
_RIGHT_STANDARD = (0.99 + 0.98) / 2


def _altered(question: str, seen: Seen, rng: Random) -> str:
    of_model = _RIGHT_ALTERED if seen.item["version"] == "altered" else _RIGHT_STANDARD
    return right_by(of_model if seen.kind == "model" else 0.9)(question, seen, rng)


def _half_marked(_question: str, seen: Seen, rng: Random) -> str:
    """People mark the causes, models half of each in every second text: F1 is 2 * .75 / 1.75."""
    spans = [tuple(map(int, one.split("-"))) for one in seen.item["cause_key"].split("|")]
    is_short = seen.kind == "model" and rng.random() < 0.5
    return "|".join(f"{begin}-{(begin + end) // 2 if is_short else end}" for begin, end in spans)


def _of_what_is_rated(seen: Seen, sd: float) -> float:
    """A true value of each response, normal with this standard deviation; the same for everyone who rates it."""
    return seeded(f"{seen.item['item']} {seen.source}").gauss(0, sd)


def _writer(seen: Seen) -> float:
    """A true mean of each responder, whose differences within a group have a standard deviation of 0.35."""
    return seeded(f"{seen.response['responder']}").gauss(0, _OF_WRITERS)


_OF_WRITERS = 0.35
# Mann-Whitney's U = 2 of 6 models and 8 therapists: a model's mean is above a therapist's in 46 of 48 pairs
_GAP_OF_WRITERS = 2**0.5 * _OF_WRITERS * NORMAL.inv_cdf(46 / 48)


# Ibrahim et al.: how much more often warm models are wrong, by themselves, to sad people and to false beliefs
_MORE_WRONG = {"": 0.0743, "neutral none": 0.068, "sad wrong": 0.119, "neutral wrong": 0.11}
_WRONG = 0.15


def _with_errors(by: Callable[[Seen], str]) -> Callable[[str, Seen, Random], str]:
    """A `code` that finds an error in the plain model's responses with the same probability, in the warm one's more."""

    def code(_question: str, seen: Seen, rng: Random) -> str:
        more = _MORE_WRONG[by(seen)] if seen.source == "model_warm" else 0.0
        return "error" if rng.random() < _WRONG + more else "no_error"

    return code


def _of_care(question: str, seen: Seen, rng: Random) -> str:
    share = 0.45 if seen.source == "model_a" else 0.3
    return rng.choice(["asks", "advises"]) if question == "behaviours" else "care" if rng.random() < share else "none"


def _judged(_question: str, seen: Seen) -> float:
    return NORMAL.inv_cdf(0.85 if seen.kind == "model" else 0.65) if seen.source == "model" else 0.0


def with_ties(share: float) -> float:
    """The share preferred, ties as half, of a source that is preferred in this share of choices without ties."""
    return (NORMAL.cdf(NORMAL.inv_cdf(share) + TIED) + NORMAL.cdf(NORMAL.inv_cdf(share) - TIED)) / 2


def _given(question: str, seen: Seen) -> float:
    return -15.0 * (seen.kind == "model") if question == "given" else _scores(question, seen)


def _written(_question: str, seen: Seen) -> float:
    return _writer(seen) + (_GAP_OF_WRITERS / 2 if seen.source == "model" else -_GAP_OF_WRITERS / 2)


def _agreed(question: str, seen: Seen) -> float:
    """Responses differ as much as gives the alpha of the paper's experts: .71 for nine questions, .72 for six."""
    if question in BAD:
        return -_of_what_is_rated(seen, 0.555)
    return _of_what_is_rated(seen, 0.555 if question in LISTENING else 0.645)


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
# How far what partners infer moves with the feeling.
_INFERRED = 0.3


def _partly_inferred(question: str, seen: Seen) -> float:
    """What a rater infers of the partner's feeling, beside what the partner felt, over five messages of each."""
    if question in {"sure", "felt_understood"}:
        return 0.0
    return _felt(question, seen) * (_INFERRED if question == "inferred" else 1.0)


def _angered(question: str, seen: Seen) -> float:
    """Means per word of ten, in the published data: GPT-4 from 1.00 to 3.12, people from 1.36 by 0.99 more."""
    is_negative = question.partition("_")[0] in {"upset", "hostile", "irritable"}
    before, change = (1.0, 2.12) if seen.kind == "model" else (1.36, 0.99)
    return reach("emotion-change", question, before + change * question.endswith("after") if is_negative else 3.0)


def _scores(question: str, seen: Seen) -> float:
    mean = 4.0 if seen.kind == "model" else 3.4
    return (
        0.0
        if seen.source or question == "given"
        else reach("rater-scales", question, 6 - mean if question in TURNED else mean)
    )


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


def _more_confident(question: str, seen: Seen) -> float:
    """Confidence of 3.0 before; 3.3 afterwards in the arm with suggestions. Both arms find their texts as good."""
    return reach("suggestions", question, 3.3 if question.endswith("_after") and seen.rater % 2 else 3.0)


def _weeks_later(question: str, seen: Seen) -> float:
    """Low mood of 1.6 falls to 1.3 on the waiting list, and with the chatbot by 3.5 points of the sum of nine more."""
    key, _, wave = question.partition("@")
    more = 3.5 / 9 * (seen.rater % 2)
    return reach("follow-up", question, 1.3 - more if wave else 1.6) if key != "wish" else 0.0


_UNDERSTANDING = {"goals", "needs", "trusted", "intentions"}


def in_two_factors(question: str, seen: Seen) -> float:
    """What a rater makes of a response: two factors with an SD of 15 that correlate with .4; both sources differ."""
    of = f"{seen.rater} {seen.item['item']} {seen.source}"
    own = seeded(f"{question in _UNDERSTANDING} {of}").gauss(0, 15 * 0.6**0.5)
    return seeded(of).gauss(0, 15 * 0.4**0.5) + own + (6 if seen.source == "empathic" else -6)


def _thinking(seen: Seen) -> str:
    return seen.source.partition("_")[0]


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
        "In 78.6% of 585 evaluations, evaluators preferred the chatbot (195 questions, three evaluators each)",
        _of("preference", "share_preferred"),
        Effect(worth(chatbot=0.786), copies=4),
        *(0.786, 0.5),
        simulated="78.6% of choices",
    ),
    Seed(
        "ayers-pair",
        "Ayers et al. 2023",
        "Mean empathy is 3.65 for the chatbot and 2.15 for physicians",
        _of("empathy", "mean_difference"),
        Effect(means("ayers-pair", {"chatbot": 3.65, "physician": 2.15}), copies=4),
        1.5,
        simulated="1.50 points",
    ),
    Seed(
        "three-point",
        "Welivita & Pu 2024",
        "About 31% more responses of GPT-4 than of people are rated *Good* (1,000 participants)",
        _of("empathy", "percent_change_at_least"),
        Effect(_good, n_raters=60, copies=4),
        31.0,
        scope={"source": "model_a"},
        simulated="45% and 59% *Good*: 31% more",
    ),
    Seed(
        "empathetic-dialogues",
        "Rashkin et al. 2019",
        "Empathy is 3.25 for the fine-tuned generation model and 4.19 for people's own replies",
        _of("empathy", "mean_difference"),
        Effect(means("empathetic-dialogues", {"generation": 3.25, "person": 4.19, "retrieval": 3.45}), copies=4),
        -0.94,
        scope={"source": "generation"},
        simulated="−0.94 points",
    ),
    Seed(
        "epitome",
        "Sharma et al. 2020",
        "Empathy in text has three mechanisms, each none, weak or strong; the paper compares no sources",
        _of("emotional_reactions", "mean_difference_lmm"),
        Effect(means("epitome", {"peer": 0.6, "model": 1.0}), copies=4),
        0.4,
        simulated="0.4 points",
        origin="no number",
    ),
    Seed(
        "ab-tie",
        "Sabour et al. 2022",
        "CEM outperforms the baselines in human evaluations",
        _of("empathy", "share_preferred"),
        Effect(worth(commonsense=0.65), copies=4),
        with_ties(0.65),
        null=0.5,
        scope={"source": "commonsense"},
        simulated="65% of choices before ties",
        origin="not found",
    ),
    Seed(
        "four-dimensions",
        "Zhou et al. 2025",
        "Studies rate four dimensions of empathy, each in its own way; a review, which compares no sources",
        _of("empathy", "mean_difference"),
        Effect(means("four-dimensions", {"person": 3.0, "model_a": 3.5, "model_b": 3.2}), copies=4),
        0.5,
        scope={"source": "model_a"},
        simulated="0.5 points",
        origin="no number",
    ),
    Seed(
        "perceived-empathy",
        "Kumar et al. 2025",
        "Perceived empathy can be judged reliably; the paper compares no supporters",
        _of("perceived_empathy", "mean_difference"),
        Effect(means("perceived-empathy", {"person": 4.2, "model": 4.9}), copies=4),
        0.7,
        simulated="0.7 points",
        origin="no number",
    ),
    Seed(
        "perceived-empathy",
        "Kumar et al. 2025",
        "Three experts agree on the mean of the nine questions with an alpha of .71 (50 conversations)",
        _of("perceived_empathy", "krippendorff_alpha"),
        Effect(_agreed, copies=8),
        0.71,
        simulated="alpha = .71",
    ),
    Seed(
        "lend-an-ear",
        "Kumar et al. 2025",
        "Model judges approach the reliability of experts; the paper compares no supporters",
        _of("listening", "mean_difference_lmm"),
        Effect(_listening, copies=4),
        0.5,
        simulated="0.5 points",
        origin="no number",
    ),
    Seed(
        "lend-an-ear",
        "Kumar et al. 2025",
        "Three experts agree on the mean of the six questions with an alpha of .72 (50 conversations)",
        _of("listening", "krippendorff_alpha", pool="expert"),
        Effect(_agreed, copies=8),
        0.718,
        simulated="alpha = .72",
    ),
    Seed(
        "expert-panel",
        "Zhan et al. 2024",
        "Alignment with the principles is 7.24 for guided reappraisals and 4.85 for the plain prompt (46 ratings each)",
        _of("alignment", "mean_difference_lmm", source="model_guided", reference="model_plain"),
        # from the ratings that the paper publishes, of three models (+cons, individual guidance) and of top comments
        Effect(
            means("expert-panel", {"peer": 2.75, "model_plain": 4.85, "model_guided": 7.24}, only="alignment"),
            code=right_by(0.8),
            copies=12,
        ),
        2.39,
        simulated="4.85 and 7.24: 2.39 points",
    ),
    Seed(
        "label-experiment",
        "Rubin et al. 2025",
        "Responses are rated as more empathic if said to be by a person rather than by an AI (6,282 participants)",
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
        simulated="−0.5 points",
        origin="not found",
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
        simulated="0.6 points",
        origin="no number",
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
        simulated="0.7 points",
        origin="no number",
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
        simulated="0.2 points per turn",
        origin="no number",
    ),
    Seed(
        "warmth-reliability",
        "Ibrahim et al. 2025",
        "Training for warmth raises the probability of an incorrect response by 7.43 percentage points (five models)",
        _of("verdict", "category_difference", code="error"),
        Effect(lambda *_: 0.0, code=_with_errors(lambda _: ""), n_raters=40, copies=4),
        0.0743,
        simulated="15.0% and 22.4% with an error: 7.43 percentage points",
    ),
    Seed(
        "warmth-reliability",
        "Ibrahim et al. 2025",
        "The gap between warm and original models is 11.9 percentage points if people are sad, 6.8 otherwise",
        _of("verdict", "item_attribute_interaction", attribute="mood", code="error"),
        Effect(
            lambda *_: 0.0,
            code=_with_errors(lambda seen: "sad wrong" if seen.item["mood"] == "sad" else "neutral none"),
            n_raters=160,
            copies=8,
        ),
        0.119 - 0.068,
        simulated="gaps of 11.9 and 6.8: 5.1 percentage points",
    ),
    Seed(
        "warmth-reliability",
        "Ibrahim et al. 2025",
        "The gap is 11.0 percentage points if people state a false belief, 6.8 otherwise",
        _of("verdict", "item_attribute_interaction", attribute="claim", code="error"),
        Effect(
            lambda *_: 0.0,
            code=_with_errors(lambda seen: f"neutral {seen.item['claim']}"),
            n_raters=160,
            copies=8,
        ),
        0.11 - 0.068,
        simulated="gaps of 11.0 and 6.8: 4.2 percentage points",
    ),
    Seed(
        "behaviours",
        "Chiu et al. 2024",
        "Models offer problem-solving advice more often than good human therapists when clients share emotions",
        _of("behaviours", "category_difference", code="advises"),
        Effect(lambda *_: 0.0, code=codes("advises", "asks", counsellor=0.3, model_a=0.6, model_b=0.5), copies=4),
        0.3,
        scope={"source": "model_a"},
        simulated="30 percentage points",
        origin="not found",
    ),
    Seed(
        "behaviours",
        "Carrasco-Farré 2024",
        "Arguments of models appeal to care more than people's (3.44 and 2.99); counted in words, here in responses",
        _of("moral", "category_difference", code="care"),
        Effect(lambda *_: 0.0, code=_of_care, n_raters=20, copies=4),
        0.15,
        scope={"source": "model_a"},
        simulated="15 percentage points",
        origin="no number",
    ),
    Seed(
        "theory-of-mind",
        "Ullman 2023",
        "GPT-3.5 gives the right answer a probability of 98% to 99% in standard stories, 1% to 13% in altered ones",
        _of("belief", "item_attribute_accuracy", attribute="version", rater_kind="model"),
        Effect(lambda *_: 0.0, code=_altered, models=2),
        _RIGHT_ALTERED - _RIGHT_STANDARD,
        simulated="98.5% and 4.5% right: −94 percentage points",
    ),
    Seed(
        "recipient",
        "Zhou et al. 2025",
        "Nearly all raters are third parties; how recipients differ from them is unknown; a review",
        _of("understood", "pool_difference", pool="recipient", reference_pool="crowd"),
        Effect(
            means("recipient", {"recipient": 3.6, "crowd": 3.0}, by=lambda seen: seen.pool),
            n_raters=20,
            models=1,
            copies=4,
        ),
        0.6,
        simulated="0.6 points",
        origin="no number",
    ),
    Seed(
        "recipient",
        "Luo et al. 2024",
        "People and a model judge find the chatbot's response more empathetic than the physician's of equal length",
        _of("preference", "share_preferred"),
        Effect(_judged, n_raters=20, models=1, copies=4),
        with_ties(0.65),
        null=0.5,
        simulated="65% of choices before ties",
        origin="not found",
    ),
    Seed(
        "recipient",
        "Luo et al. 2024",
        "Empathy rankings of a model judge and of people differ",
        _of("preference", "pool_preference_difference", **_MODELS),
        Effect(_judged, n_raters=20, models=1, copies=4),
        with_ties(0.85) - with_ties(0.65),
        simulated="65% and 85% before ties: 18 percentage points",
        origin="not found",
    ),
    Seed(
        "rater-scales",
        "Davis 1983",
        "Perspective taking and empathic concern are separate scores; the paper compares no models",
        _of("perspective_taking", "pool_difference", **_MODELS),
        Effect(_scores, n_raters=60, models=4),
        0.6,
        simulated="0.6 points",
        origin="no number",
    ),
    Seed(
        "rater-scales",
        "Cameron et al. 2019",
        "People avoid empathy because of what it costs; what models do when empathy costs something is our question",
        _of("given", "pool_difference", **_MODELS),
        Effect(_given, n_raters=60, models=4),
        -15.0,
        simulated="−15 cents of 100",
        origin="no number",
    ),
    Seed(
        "responder-level",
        "Napiwotzki et al. 2025",
        "The six models' means are above those of the eight therapists (Mann-Whitney U = 2.0, r = .917, p = .005)",
        _of("empathy", "mean_difference_responders"),
        Effect(_written, n_raters=20, copies=4),
        _GAP_OF_WRITERS,
        simulated="r = .92 of responders' means, with 0.35 points between responders of a group: 0.86 points",
    ),
    Seed(
        "emotion-recognition",
        "Schlegel et al. 2025",
        "Models answer 81% of the questions of emotional intelligence tests correctly, people 56%",
        _of("emotion", "pool_accuracy_difference", **_MODELS),
        Effect(lambda *_: 0.0, code=recognized, n_raters=30, models=2, copies=4),
        0.25,
        simulated="81% and 56% right: 25 percentage points",
    ),
    Seed(
        "emotion-cause",
        "Poria et al. 2021",
        "SpanBERT finds the causes of emotions with an F1 of 60%; the paper gives none of people",
        _of("cause", "pool_span_f1_difference", **_MODELS),
        Effect(lambda *_: 0.0, span=_half_marked, models=2, copies=4),
        2 * 0.75 / 1.75 - 1,
        simulated="−14 percentage points of F1",
        origin="no number",
    ),
    Seed(
        "empathic-accuracy",
        "Zaki et al. 2008",
        "Perceivers' ratings of a target's feelings follow the target's own",
        _of("affect", "empathic_accuracy"),
        Effect(_felt, models=1),
        434 / 498,
        simulated="r = .87",
        origin="not found",
    ),
    Seed(
        "empathic-accuracy",
        "Ickes 1993",
        "Perceivers differ in empathic accuracy; the paper is older than the models",
        _of("affect", "pool_empathic_difference", **_MODELS),
        Effect(_half_felt, models=1, copies=3),
        _Z_OF_MODELS - _Z_OF_PEOPLE,
        simulated="−0.53 in Fisher z",
        origin="no number",
    ),
    Seed(
        "before-after",
        "Meng & Dai 2021",
        "Emotional support by a person or a chatbot reduces worry",
        _of("mood_after", "change_difference", factor="writer"),
        Effect(lambda question, seen: 12.0 * (seen.rater % 2) if question == "mood_after" else 0.0, n_raters=60),
        12.0,
        simulated="12 points of 100",
        origin="not found",
    ),
    Seed(
        "ranking",
        "Ouyang et al. 2022",
        "InstructGPT's outputs are preferred to GPT-3's in 85% of comparisons",
        _of("empathy_rank", "share_preferred"),
        Effect(rank_above(model_long=0.85), copies=4),
        *(0.85, 0.5),
        scope={"source": "model_long"},
        simulated="85% of rankings",
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
        simulated="−0.3 points per turn",
        origin="no number",
    ),
    Seed(
        "conjoint",
        "Hainmueller et al. 2014",
        "Random pairs identify what an attribute adds to being chosen, averaged over the others, which differ there",
        _of("preference", "amce", attribute="warmth"),
        Effect(lambda _, seen: _CONJOINT[seen.source], n_raters=20, copies=4),
        _chosen(lambda one: one.endswith("warm"), _CONJOINT),
        simulated="about 18 percentage points",
        origin="no number",
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
        simulated="−13%: 3.3 and 3.8, −0.5 points",
    ),
    Seed(
        "emotion-change",
        "Huang et al. 2024",
        "Imagined anger raises GPT-4's negative affect by 2.12 points per word, people's by 0.99 (1,266 people)",
        _of("negative_after", "pool_change_difference", **_MODELS),
        Effect(_angered, n_raters=40, models=2),
        1.13,
        simulated="changes of 2.12 and 0.99: 1.13 points",
    ),
    Seed(
        "written-with-ai",
        "Sharma et al. 2023",
        "Suggestions of the model raise empathy, the sum of three scores from 0 to 2, by 19.6% (300 peer supporters)",
        _of("expressed_empathy", "percent_change"),
        Effect(means("written-with-ai", {"peer": 1.48 / 3, "peer_assisted": 1.77 / 3}), n_raters=40, copies=4),
        19.6,
        simulated="1.48 and 1.77: 19.6%",
    ),
    Seed(
        "suggestions",
        "Sharma et al. 2023",
        "Peers feel more confident to support others after they wrote with suggestions (300 peer supporters)",
        _of("confidence_after", "change_difference", factor="help"),
        Effect(_more_confident, n_raters=300),
        0.3,
        simulated="0.3 points",
        origin="no number",
    ),
    Seed(
        "several-models",
        "Lee et al. 2024",
        "Responses of models are consistently rated as more empathic than those written by a person (N = 192 and 202)",
        _of("empathy", "mean_difference"),
        Effect(means("several-models", {"person": 3.8, "model_a": 4.6, "model_b": 4.3, "model_c": 4.2}), copies=4),
        0.8,
        scope={"source": "model_a"},
        simulated="0.8 points",
        origin="not found",
    ),
    Seed(
        "reasoning-models",
        "Wang et al. 2025",
        "Models that think before they reply become more empathetic, others more active in solving the problem",
        _of("empathy", "attribute_effect", attribute="reasoning"),
        Effect(means("reasoning-models", {"thinking": 3.4, "direct": 2.9}, by=_thinking), copies=2),
        0.5,
        simulated="0.5 points",
        origin="not found",
    ),
    Seed(
        "venting",
        "Hu et al. 2025",
        "Venting to a chatbot lowers anger and frustration more than writing in a journal (150 participants)",
        _of("negative_after", "change_difference", factor="medium"),
        Effect(_vented, n_raters=150),
        -0.5,
        simulated="−0.5 points",
        origin="not found",
    ),
    Seed(
        "venting",
        "Hu et al. 2025",
        "It does not change felt support and loneliness (150 participants)",
        _of("support_after", "change_difference", factor="medium"),
        Effect(_vented, n_raters=150),
        0.0,
        simulated="no difference",
    ),
    Seed(
        "empathic-dyads",
        "Ickes et al. 1990",
        "Two people who talk infer what the other thought and felt better than by chance",
        _of("inferred", "empathic_accuracy"),
        Effect(_partly_inferred, n_raters=40),
        float(np.tanh(_mean_z(_INFERRED))),
        simulated="r = .72",
        origin="not found",
    ),
    Seed(
        "case-heard",
        "Kidder et al. 2024",
        "People may claim to be heard by someone who could see them as an exception, even at a cost in accuracy",
        _of("preference", "trade_off", attribute="hearer"),
        Effect(lambda _, seen: _HEARD[seen.source], n_raters=20, copies=4),
        _chosen(lambda one: one.startswith("person"), _HEARD) / _chosen(lambda one: one.endswith("95"), _HEARD),
        null=1.0,
        simulated="twice as much",
        origin="no number",
    ),
    Seed(
        "empathy-scale",
        "Schmidmaier et al. 2024",
        "The ten statements form two factors that go together (396 participants)",
        _of("perceived_empathy", "n_factors"),
        Effect(in_two_factors, n_raters=40, copies=4),
        2.0,
        simulated="two factors",
    ),
    Seed(
        "follow-up",
        "Heinz et al. 2025",
        "Depression falls more with a chatbot than on a waiting list, by 3.5 of 27 points in four weeks (N = 210)",
        _of("low_mood@2", "change_difference", factor="start"),
        Effect(_weeks_later, n_raters=210, seed=1),
        -3.5 / 9,
        simulated="−3.5 points of nine questions: −0.39 for each",
    ),
)
