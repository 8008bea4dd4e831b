"""The report of a study as files: PDF, Word, HTML, LaTeX and Markdown."""
