"""Options that choose the rules, and usage texts, for ``check``, ``hook`` and the commands with layers."""

from __future__ import annotations

import os
from _collections_abc import Sequence

from execpolicy.layers.layer_options import LayerOptions, Mode
from execpolicy.source import Source

MODES: dict[str, Mode] = {"--strict": "strict", "--lenient": "codex"}


def usage_of(command: str) -> str:
    """The usage text of ``check`` or ``hook``, the only list of its options."""
    with open(os.path.join(os.path.dirname(__file__), "usage", f"{command}.txt"), encoding="utf-8") as file:
        return file.read()


def layers_of(
    cwd: str | None = None,
    *,
    rules: Sequence[str] = (),
    texts: Sequence[Source] | None = None,
    mode: Mode | None = None,
    ignore_rules: bool = False,
    grants: str | None = None,
    config_profile: str | None = None,
) -> LayerOptions:
    """All layers of ``cwd``, or exactly the files ``rules`` (or ``texts``) above the built-in layer.

    Files and texts that were named one by one must load: unless the mode is that of Codex, a problem in them is an
    error.
    """
    named = bool(rules) or texts is not None
    return LayerOptions.of_process(
        cwd=cwd,
        profile=config_profile,
        ignore_rules=ignore_rules,
        mode="strict" if named and mode != "codex" else mode or "isolated",
        files=rules or None,
        texts=texts,
        grants=grants,
    )


class RuleOptions:
    """The options of ``check`` and ``hook`` that choose the rules.

    Attributes:
        rules: rule files in load order; empty means "all layers".
        profile: whose semantics the decision has.
    """

    rules: tuple[str, ...] = ()
    mode: Mode = "isolated"
    ignore_rules = False
    grants: str | None = None
    config_profile: str | None = None
    profile = "default"

    def layers(self, cwd: str | None, texts: Sequence[Source] | None = None) -> LayerOptions:
        """The layers for commands in ``cwd``; only ``texts`` above the built-in layer, if given."""
        mode = self.mode
        if texts is not None and mode == "isolated" and self.profile != "default":
            mode = "codex"  # with Codex semantics, one bad text drops the rules of the request
        return layers_of(
            cwd,
            rules=self.rules if texts is None else (),
            texts=texts,
            mode=mode,
            ignore_rules=self.ignore_rules,
            grants=self.grants,
            config_profile=self.config_profile,
        )
