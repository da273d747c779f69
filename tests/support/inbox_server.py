"""An inbox without a page, for tests: ``python -m tests.support.inbox_server``. Says `ready` when it listens."""

import asyncio
import os
import sys

from execpolicy.inbox.inbox_server import InboxServer
from execpolicy.inbox.waiting import inbox_folder


async def main() -> None:
    server = InboxServer(inbox_folder(os.environ), address=lambda: "http://example.invalid/")
    await server.start()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
