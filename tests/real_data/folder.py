"""Plain files of a study folder, for tests."""

from app.exchange.published.plain_files import Row, read_rows, write_rows, write_study

__all__ = ["Row", "read_rows", "write_rows", "write_study"]
