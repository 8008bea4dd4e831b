"""The page of one trial: rate, save, skip, practise."""
