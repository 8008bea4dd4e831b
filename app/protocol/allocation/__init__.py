"""Which trials each rater gets, in which order and condition, and on which sides the responses appear."""
