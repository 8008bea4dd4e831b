"""Attune: human empathy-rating studies, from the spreadsheet to the estimates a reviewer accepts."""

import gc

__version__ = "0.1.0"

# Imports make half a million objects, none of them garbage; by default the collector looks at them a thousand times,
# which is a sixth of the time to start. The server sets its own threshold when it is ready (app/main.py).
gc.set_threshold(50_000, 20, 50)
