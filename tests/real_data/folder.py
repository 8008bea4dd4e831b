"""Plain files of a study folder, for tests."""

from app.results.reproduction.pack import Row, read_rows, write_rows, write_study

__all__ = ["Row", "read_rows", "write_rows", "write_study"]
