"""Language models as judges of responses and as their writers, through an OpenAI-compatible server."""
