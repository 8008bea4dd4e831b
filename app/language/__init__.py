"""What raters read that no lead wrote: fixed texts in English, and their catalogues in other languages."""
