"""Simulated raters, to rehearse a study and to fill the demo."""
