"""Every page of a rater but the trials: consent, questions, practice, checks, breaks, messages and the ending."""
