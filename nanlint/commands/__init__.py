"""The commands, one file each: parse arguments, call, print, exit code. Nothing else."""
