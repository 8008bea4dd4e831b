"""What knows no study: database, files, processes, documents, HTTP, help and languages."""
