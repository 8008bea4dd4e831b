"""`python -m app`: the same as `attune`."""

from app.cli import main

main()
