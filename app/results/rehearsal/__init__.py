"""Results of a draft on simulated answers, before there is a rater; nothing is stored."""
