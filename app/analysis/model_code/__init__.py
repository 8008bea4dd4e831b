"""The models of the primary contrasts as code for R and Python, with the file that they read."""
