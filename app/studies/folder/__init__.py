"""Study folders: read files into a StudyFolder or report every problem, and write a study back to files."""
