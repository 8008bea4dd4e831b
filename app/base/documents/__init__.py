"""Documents as files: the same blocks as HTML, Markdown, LaTeX, Typst (for PDF) and DOCX; references as BibTeX."""
