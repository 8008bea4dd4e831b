"""From the link to the first trial: who may start, consent, conditions and instructions."""
