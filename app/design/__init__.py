"""Scales, questions, the study protocol and the allocation of trials to raters. Pure code without I/O."""
