"""Published data sets as study folders, from the files that their authors published."""
