"""Chips, wires, fields and time that are not there: the drivers cannot tell. Not copied to a real controller.

Runs on CPython and on MicroPython, for the virtual table and the tests. `bench.Bench` puts chips, wires and coils together,
`table.SimulatedTable` a whole table with its controller.
"""
