"""What a report says, in sentences and in a summary: the page and the written report show the same words."""
