"""Who rates which trial: each seat of a trial is taken once, and becomes an assignment."""
