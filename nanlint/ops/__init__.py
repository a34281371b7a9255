"""The catalogue of ops: pure data and small pure functions, a module a family, a spelling table a framework."""
