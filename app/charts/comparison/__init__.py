"""Charts that compare sources on rating questions."""
