"""Benchmarks: one small file per topic, each with `rows()`; `make bench` runs them all."""
