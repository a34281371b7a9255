"""Stands in for the server where only its choice matters: it starts at once, agrees to everything and knows nothing."""

import json
import sys

VERSION = sys.argv[1]


def main() -> None:
    """Answer requests until told to exit."""
    while length := sys.stdin.buffer.readline():
        sys.stdin.buffer.readline()
        message = json.loads(sys.stdin.buffer.read(int(length.split(b":")[1])))
        if message.get("method") == "exit":
            return
        if "id" in message:
            result = {"capabilities": {}, "serverInfo": {"name": "nanlint", "version": VERSION}}
            answer = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
            sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(answer), answer))
            sys.stdout.buffer.flush()


main()
