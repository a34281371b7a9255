"""The dynamic half: runs the program and brings back verdicts. Only here (and in ``proof``) are frameworks imported."""
