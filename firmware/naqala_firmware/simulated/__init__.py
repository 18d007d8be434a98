"""Chips, wires, fields and time that are not there: the drivers cannot tell. Not copied to a real controller.

Runs on CPython (the virtual table, the tests) and on MicroPython (the tests). `bench.Bench` puts a table together.
"""
