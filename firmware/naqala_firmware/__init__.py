"""The controller's side of Naqala: readers, scan, settle, links, lights. It knows tags and no game."""
