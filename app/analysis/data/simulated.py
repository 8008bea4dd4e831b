"""Simulated raters: they rehearse a study, and leave its results once a person has rated."""

from dataclasses import replace

from app.analysis.data.frames import Frames

SIMULATED_ONLY = "All ratings are simulated"
SIMULATED_ONLY_SENTENCE = (
    f"{SIMULATED_ONLY}. They rehearse the analysis and say nothing about people. They leave the results as soon as a "
    "person has rated."
)

ARE_SIMULATED = "raters are simulated."


def counted_frames(frames: Frames) -> tuple[Frames, int]:
    """Return the frames that enter results, and the number of simulated raters who were left out.

    Simulated raters are left out with their answers, checks and arrivals if a person who is not simulated has answers
    that count: a page that is still open, or a rater who is excluded, does not end the rehearsal.
    """
    raters = frames.raters
    if "is_simulated" not in raters or not raters["is_simulated"].any():
        return frames, 0
    is_simulated = raters["is_simulated"].fillna(value=False).astype(bool) & (raters["kind"] != "model")
    real = raters.loc[~is_simulated & (raters["kind"] != "model"), "rater"]
    counted = frames.ratings.loc[frames.ratings["exclude"].isna(), "rater"]
    if not counted.isin(real).any():
        return frames, 0
    left_out = raters.loc[is_simulated, "rater"]
    checks, arrivals = frames.checks, frames.arrivals
    kept = replace(
        frames,
        raters=raters[~is_simulated].reset_index(drop=True),
        ratings=frames.ratings[~frames.ratings["rater"].isin(left_out)].reset_index(drop=True),
        checks=None if checks is None else checks[~checks["rater"].isin(left_out)].reset_index(drop=True),
        arrivals=None if arrivals is None else arrivals[~arrivals["rater"].isin(left_out)].reset_index(drop=True),
    )
    return kept, len(left_out)
