"""What takes long to make for a page or a download: jobs of the worker make it, and web processes show it."""
