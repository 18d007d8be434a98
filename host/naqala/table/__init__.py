"""From what the readers see to what the hands did: `sight` sees, `explain` judges, `watch` follows. See README.md."""
