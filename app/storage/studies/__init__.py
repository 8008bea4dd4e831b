"""Studies and their protocols: stored, loaded, exported."""
