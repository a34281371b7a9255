"""`nanlint inspect`: a run that was kept, for the reader: as one page, and at the terminal. Imports no framework."""
