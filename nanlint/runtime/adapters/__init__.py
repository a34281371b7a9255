"""The adapters that come with nanlint, one a framework."""
