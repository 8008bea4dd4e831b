"""The page on which methods are pasted, and their reading by a language model where a server is set up."""
