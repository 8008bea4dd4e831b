"""Studies and their protocols: storage, import and export."""
