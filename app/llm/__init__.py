"""Language models behind an OpenAI-compatible server: what is asked, how it is sent, and what came back."""
