"""The commands of `attune`, one module per command or group of commands."""
