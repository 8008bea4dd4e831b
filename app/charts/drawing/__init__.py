"""What every chart is drawn with: the theme, rows, points, lines and the table of values."""
