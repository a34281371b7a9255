"""What is kept between runs, so that nothing is done twice: in one SQLite database, ``.nanlint_cache`` of a project.

``store`` is the database, ``answers`` are the whole outputs of runs, ``reports`` what came of each file. All of it may
be removed at any time (`nanlint clean`); a run without it finds and prints the same.
"""
