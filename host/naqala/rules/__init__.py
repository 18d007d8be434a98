"""The rulebook as values and functions: no I/O, no clock, no randomness, no tags. See README.md in this folder."""
