"""The findings of a report, in sentences and in a summary, shared by the page and the written report."""
