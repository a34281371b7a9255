"""The pipeline, for one file and for many."""
