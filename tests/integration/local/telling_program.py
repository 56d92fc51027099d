"""For the tests of launchers: `python -m telling_program FILE EXIT_CODE` writes what it finds itself to be."""

import gc
import json
import os
import random
import secrets
import signal
import sys
import threading
import uuid
from pathlib import Path

found = {
    "pid": os.getpid(),
    "parent": os.getppid(),
    "session": os.getsid(0),
    "directory": str(Path.cwd()),
    "environment": dict(os.environ),
    "arguments": sys.argv[1:],
    "module": __name__,
    "is_main": sys.modules["__main__"].__dict__ is globals(),
    "stdin": sys.stdin.read(),
    "title": Path("/proc/self/cmdline").read_bytes().replace(b"\0", b" ").decode().strip(),
    "files": sorted(os.readlink(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd")[:-1]),
    "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
    "sigterm": str(signal.getsignal(signal.SIGTERM)),
    "threads": threading.active_count(),
    "collects": gc.isenabled(),
    "chance": [random.random(), secrets.token_hex(4), str(uuid.uuid4())],
    "loaded": "colorsys" in sys.modules,
}
Path(sys.argv[1]).write_text(json.dumps(found))
print("said on stdout")
print("said on stderr", file=sys.stderr)
sys.exit(int(sys.argv[2]))
