"""Highlights: spans of text marked by raters, compared character by character.

A span is `(start, end)` in characters, end excluded, within a text of known length. Overlapping spans of one rater
count once. Gamma (Mathet, Widlöcher and Métivier 2015) is not included: its only package depends on a convex optimizer
and a compiler, and the character-level alpha answers the same question for marks without categories.
"""
