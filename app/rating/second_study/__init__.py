"""A second study, in which other people rate what raters wrote: the review of the texts, and the study made of them."""
