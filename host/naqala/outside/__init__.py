"""What other programs see of a table without asking: its state at the broker, entities for Home Assistant, metrics, logs."""
