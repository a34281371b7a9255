"""``nanlint try``: calls functions that have findings, on ordinary inputs and on their corners, and sees which fail."""
