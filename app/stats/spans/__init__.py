"""Highlights: stretches of text that raters marked, compared character by character.

A span is `(start, end)` in characters, end excluded, within a text of known length; spans of one rater may overlap and
count once. Gamma (Mathet, Widlöcher and Métivier 2015) is not here: the only package that has it brings a convex
optimizer and a compiler, and the character-level alpha answers the same question for marks that have no parts.
"""
