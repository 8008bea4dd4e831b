"""Whether each template states its paper's headline on data with this effect; `--write` renews the table."""

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from app.analysis.statistic import declared
from tests.analysis.headlines.driven import driven
from tests.analysis.headlines.seeds import SEEDS, Seed
from tests.kit.told import Told, told

PAGE = Path(__file__).resolve().parents[3] / "docs" / "templates.md"
TITLES = (
    "| template | paper | its headline | simulated effect | as Attune states it on simulated ratings | recovered |\n"
)
HEAD = TITLES + "|---" * 6 + "|\n"
WHENCE = {
    "paper": "",
    "no number": " (ours: the paper has no number)",
    "not found": " (ours: the paper's number was not found)",
}


@dataclass(frozen=True)
class Recovered:
    """A row of the table: the headline as the report states it, and whether it is the paper's."""

    seed: Seed
    told: Told

    @property
    def is_recovered(self) -> bool:
        """Whether the verdict is clear, in the paper's direction, and the interval holds the size that was simulated.

        No effect is recovered if the interval holds it and the verdict is not clear. Agreement has no verdict. A number
        of factors, which has no interval, is the same.
        """
        if declared(self.told.estimate.statistic).kind == "count":
            return self.told.estimate.estimate == self.seed.truth
        estimate, truth, null = self.told.estimate, self.seed.truth, self.seed.null
        low, high = estimate.ci_low, estimate.ci_high
        if low is None or high is None or not low <= truth <= high:
            return False
        if estimate.verdict is not None and (estimate.verdict == "clear") == (truth == null):
            return False
        if truth == null:
            return True
        return low > null if truth > null else high < null

    @property
    def row(self) -> str:
        seed = self.seed
        said = self.told.said.replace("|", "\\|")
        simulated = seed.simulated + WHENCE[seed.origin]
        is_told = "yes" if self.is_recovered else "no"
        return f"| {seed.template} | {seed.paper} | {seed.says} | {simulated} | {said} | {is_told} |\n"


def recovered(seed: Seed, folder: Path) -> Recovered:
    """Simulate the study of a seed in an empty folder and return what answers its contrast."""
    report, protocol, _ = driven(seed.template, folder, seed.effect)
    wanted = {name: value for name, value in seed.contrast.items() if name != "test"}
    (found,) = [
        one
        for result, contrast in zip(report.primary, told(report, protocol), strict=True)
        if result.contrast.test == seed.contrast["test"]
        and all(getattr(result.contrast, name) == value for name, value in wanted.items())
        for one in contrast
        if seed.scope.items() <= one.estimate.scope.items()
    ]
    return Recovered(seed, found)


def table_of_the_page() -> str:
    """The rows of the table as docs/templates.md has them."""
    return PAGE.read_text(encoding="utf-8").partition(HEAD)[2].partition("\n\n")[0] + "\n"


def main() -> None:
    rows = []
    for seed in SEEDS:
        with TemporaryDirectory() as folder:
            rows.append(recovered(seed, Path(folder) / "study").row)
    page = PAGE.read_text(encoding="utf-8")
    before, head, after = page.partition(HEAD)
    assert head, f"{PAGE} has no table that begins with: {HEAD}"
    PAGE.write_text(before + head + "".join(rows) + re.sub(r"\A(?:\|.*\n)*", "", after), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python -m tests.analysis.headlines.recovered --write")
    main()
