"""Precision and power, estimated before the data are collected."""
