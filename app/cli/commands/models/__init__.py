"""Commands that ask language models and other programs for ratings, responses and scores."""
