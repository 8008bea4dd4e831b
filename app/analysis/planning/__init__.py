"""Precision and power before the data are collected."""
