"""``python -m execpolicy``."""

import sys

from execpolicy.cli.main import main

sys.exit(main())
