"""The name of the method of `lmm`, for code that looks for its results without loading what it computes with."""

from app.stats.result import Method

LMM = Method("lmm_satterthwaite")
