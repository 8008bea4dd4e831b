"""Read a study into pandas through Attune's API. Copy this file, or the parts that you need.

export ATTUNE_TOKEN=attune_...
python attune_study.py https://rate.example.org empathy-2026
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pandas as pd

TRIES = 6


class Study:
    """One study. `table` takes items, responses, raters or ratings."""

    def __init__(self, server: str, slug: str, token: str) -> None:
        """Use the study on this server."""
        self.address = f"{server.rstrip('/')}/api/v1/studies/{slug}"
        self.headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}

    def get(self, path: str = "", **parameters: object) -> Any:  # noqa: ANN401 - JSON
        """What the address below the study answers."""
        query = f"?{urlencode(parameters)}" if parameters else ""
        request = Request(f"{self.address}{path}{query}", headers=self.headers)  # noqa: S310 - your server
        for n_tries in range(1, TRIES + 1):
            try:
                with urlopen(request) as answer:  # noqa: S310 - as above
                    return json.load(answer)
            except HTTPError as error:
                # Busy: the server says in how many seconds to try again.
                if error.code not in {429, 503} or n_tries == TRIES:
                    raise
                time.sleep(min(float(error.headers.get("Retry-After") or 5), 120))
        raise AssertionError("the last try returns or raises")

    def table(self, name: str) -> pd.DataFrame:
        """All rows of a table."""
        rows: list[dict[str, Any]] = []
        cursor: str | None = ""
        while cursor is not None:
            page = self.get(f"/{name}", cursor=cursor, limit=1000)
            rows += page["rows"]
            cursor = page["next"]
        return pd.DataFrame(rows)

    def ratings(self, *, people_only: bool = True) -> pd.DataFrame:
        """The answers of people to trials shown first; with `people_only=False` those of judges and all others too."""
        ratings = self.table("ratings")
        if not people_only or ratings.empty:
            return ratings
        counted = ratings[(ratings["rater_kind"] == "person") & (ratings["is_simulated"] == "false")]
        return counted[counted["repeat"].fillna(0).astype(int) == 0] if "repeat" in counted else counted

    def estimates(self, **filters: str) -> pd.DataFrame:
        """All estimates with their intervals; filters as in the address of the results pages."""
        return pd.DataFrame(self.get("/estimates", **filters)["estimates"])


if __name__ == "__main__":
    study = Study(sys.argv[1], sys.argv[2], os.environ["ATTUNE_TOKEN"])
    print(study.get()["progress"])
    print(study.ratings().groupby(["question", "source"], dropna=False)["value_number"].agg(["count", "mean"]))
    print(study.estimates()[["section", "question", "statistic", "estimate", "ci_low", "ci_high"]].head(20))
