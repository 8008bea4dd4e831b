"""Plan a study: width, power, minutes and cost."""
