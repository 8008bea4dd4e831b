"""Which rater gets which trials, in which order, condition and sides."""
