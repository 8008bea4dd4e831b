"""Study folders: files in, a StudyFolder or all problems out; and back to files."""
