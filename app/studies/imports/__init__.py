"""Import ratings collected elsewhere: a spreadsheet in any shape to one row per answer, checked like ratings.csv."""
