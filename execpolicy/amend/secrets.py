"""Whether a command carries a secret. The rules live in ``lint``, because the linter looks for secrets, too."""

from __future__ import annotations

from execpolicy.lint.secrets import secret_in

__all__ = ["secret_in"]
