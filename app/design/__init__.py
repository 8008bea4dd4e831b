"""The words of the field, scales, questions, the study protocol, who rates what and in which order. Plain and pure."""
