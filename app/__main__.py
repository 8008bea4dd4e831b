"""Entry point of `python -m app`, which does the same as `attune`."""

from app.cli import main

main()
