"""Shared by the models with two crossed random factors: inputs, sums, factorizations and solutions."""
