"""Fixed texts that raters read, in English and in the catalogues of other languages."""
