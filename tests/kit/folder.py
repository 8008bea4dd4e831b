"""A study folder with ratings: a choice and a rating question, two sources, four raters."""

import random

YAML = """\
attune: 1
slug: rated
title: Replies that were rated
sources:
  person: {kind: human}
  machine: {kind: model}
questions:
  - {key: preference, target: pair, type: choice, text: Which response is better?, tie: true}
  - key: empathy
    target: response
    type: rating
    text: How empathetic is the response?
    scale: {1: not, 2: slightly, 3: moderately, 4: quite, 5: very}
design: {trials: pairs, raters_per_trial: 4}
analysis: {reference: person, cut: {empathy: 4}}
"""
N_ITEMS, RATERS = 10, ("ann", "ben", "cyd", "dov")


def rated_folder(seed: int = 1) -> dict[str, bytes]:
    """The files by name; the machine is rated higher, with moderate agreement."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    items = [f"item-{n}" for n in range(N_ITEMS)]
    responses = [f"{item},{source},{source} to {item}" for item in items for source in ("person", "machine")]
    rows = []
    for item in items:
        level = {"person": draw.uniform(1.5, 3.5), "machine": draw.uniform(2.5, 4.5)}
        for rater in RATERS:
            given = {source: min(5, max(1, round(draw.gauss(mean, 0.8)))) for source, mean in level.items()}
            rows += [f"{rater},{item},{item}:{source},empathy,{value}" for source, value in given.items()]
            better = max(given, key=lambda source: given[source])
            choice = "tie" if given["person"] == given["machine"] else better
            rows.append(f"{rater},{item},,preference,{choice}")
    texts = {
        "study.yaml": YAML,
        "items.csv": "\n".join(["item,text", *(f"{item},The situation of {item}" for item in items), ""]),
        "responses.csv": "\n".join(["item,source,text", *responses, ""]),
        "ratings.csv": "\n".join(["rater,item,response,question,value", *rows, ""]),
    }
    return {name: text.encode() for name, text in texts.items()}
