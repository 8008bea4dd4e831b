"""Language models as judges of a study's responses, under the same protocol as its raters."""
