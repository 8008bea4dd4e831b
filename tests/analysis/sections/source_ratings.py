"""Ratings of several sources by every rater, for tests of contrasts."""

import numpy as np

from tests.kit.frames import Row


def source_ratings(sources: dict[str, float], n_items: int = 6, n_raters: int = 6, **more: str) -> list[Row]:
    """Return ratings by every rater of every source and item: the source's mean plus or minus one, 1 to 5."""
    rng = np.random.default_rng(1)
    return [
        {
            "rater": f"r{rater}",
            "item": f"i{item}",
            "response": f"i{item}:{source}",
            "question": "empathy",
            "value": int(np.clip(round(mean + rng.normal()), 1, 5)),
            **more,
        }
        for item in range(n_items)
        for rater in range(n_raters)
        for source, mean in sources.items()
    ]


def mean_rating(rows: list[Row], **where: str) -> float:
    known = [{**row, "source": row["response"].partition(":")[2]} for row in rows]
    return float(np.mean([row["value"] for row in known if all(row[key] == value for key, value in where.items())]))
