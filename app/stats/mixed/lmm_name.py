"""The name of the method of `lmm`, for code that looks for its results without loading what it computes with."""

LMM = "lmm_satterthwaite"
