"""Mixed models with raters and items as crossed random factors: ordinal and linear."""
