"""A run at the terminal: the commands of TensorFlow's tfdbg, for a session where there is no browser."""

from nanlint.runtime.inspecting.terminal.commands import Terminal as Terminal
from nanlint.runtime.inspecting.terminal.printing import bar as bar
from nanlint.runtime.inspecting.terminal.reading import Mistake as Mistake
