"""What matching by meaning changes: decisions on recorded commands, with it and by first words alone.

    python -m benchmarks.meaning_changes FOLDER... [--rules FILE...] [--judged FILE] [--show]

Every ``*.jsonl`` below the folders is read, an object a line, with a ``script`` or a ``command``. Each is decided
under all of ``rules/`` and ``rules/packs`` on top of the built-in layer (or under the files given), once with the
rules as they are and once with ``spelling = "exact"`` on every rule that asks or forbids. Printed are the numbers
of changed decisions, by what they were, what they are, and what the words mean; ``--show`` prints the commands.

A file of ``--judged`` holds a line for each command that became stricter: first digits of its SHA-256, the change, the
rule, whether that is right, fair or wrong, and why. Printed are commands that it does not hold, and those that it alone
holds.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from execpolicy.core.decision import Decision
from execpolicy.core.matches import PrefixMatch
from execpolicy.core.rules import PrefixRule
from execpolicy.judge.check import check
from execpolicy.judge.command_verdict import CommandVerdict
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.judge.verdict import Verdict
from execpolicy.lang.compile import compile_source
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.load import load_layers
from execpolicy.resources import records_folder, rules_folder
from execpolicy.source import Source

PLACE = Situation("/srv/project", home="/home/user", real_path=lambda path: path)


def scripts(folders: list[Path]) -> Iterator[str]:
    """The recorded commands, each once."""
    seen: set[str] = set()
    for folder in folders:
        for path in sorted(folder.rglob("*.jsonl")):
            for line in path.read_text(encoding="utf-8").split("\n"):
                row = json.loads(line) if line else {}
                text = row.get("script", row.get("command")) if isinstance(row, dict) else None
                if isinstance(text, str) and text not in seen:
                    seen.add(text)
                    yield text


def rulebook(files: list[Path]) -> Rulebook:
    """The built-in layer with ``files`` on top."""
    layers = LayerOptions(cwd="/", builtin_folder=records_folder(), project=False)
    found = list(load_layers(layers).statements)
    for path in files:
        found += compile_source(Source(str(path), path.read_text(encoding="utf-8"))).statements
    return Rulebook(found)


def by_first_words(book: Rulebook) -> Rulebook:
    """The same rules, each about the words of its pattern alone."""
    return Rulebook([_exact(each) if isinstance(each, PrefixRule) else each for each in book.statements])


def _exact(rule: PrefixRule) -> PrefixRule:
    if rule.decision is Decision.ALLOW:
        return rule
    return PrefixRule(rule.pattern, rule.decision, rule.justification, human_only=rule.human_only, exact=True)


def meant(verdict: Verdict) -> str:
    """The patterns that the words of a script mean without starting with them."""
    found: dict[str, None] = {}
    pending: list[CommandVerdict] = list(verdict.commands)
    while pending:
        command = pending.pop()
        pending += command.inner
        for match in command.matches:
            if isinstance(match, PrefixMatch) and match.is_meant:
                found[str(match.rule.pattern)] = None
    return ", ".join(sorted(found)) or "options that stand elsewhere"


def main() -> None:
    """Decide everything twice, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--rules", type=Path, nargs="*")
    parser.add_argument("--judged", type=Path)
    parser.add_argument("--show", action="store_true")
    asked = parser.parse_args()
    folder = Path(rules_folder())
    shipped = [*sorted(folder.glob("*.rules")), *sorted((folder / "packs").glob("*.rules"))]
    by_meaning = rulebook(asked.rules or shipped)
    first_words = by_first_words(by_meaning)
    changed: Counter[tuple[str, str, str]] = Counter()
    every = 0
    stricter: dict[str, str] = {}
    for script in scripts(asked.folders):
        every += 1
        before = check(script, first_words, shell="bash", situation=PLACE).decision.word
        verdict = check(script, by_meaning, shell="bash", situation=PLACE)
        after = verdict.decision.word
        if before != after:
            what = meant(verdict)
            changed[before, after, what] += 1
            if after != "allow":
                stricter[f"{sha256(script.encode()).hexdigest()[:10]} | {before} > {after}"] = script
            if asked.show:
                sys.stdout.write(f"{before} -> {after} ({what}): {script}\n")
    sys.stdout.write(f"{every} commands, {sum(changed.values())} decisions changed\n")
    for word in ("prompt", "forbidden"):
        number = sum(found for (_, after, _), found in changed.items() if after == word)
        sys.stdout.write(f"{number:6} newly {word}: {10_000 * number / every:.1f} in 10,000\n")
    for (before, after, what), number in sorted(changed.items()):
        sys.stdout.write(f"{number:6} {before} -> {after}: {what}\n")
    if asked.judged is not None:
        compare(stricter, asked.judged.read_text(encoding="utf-8").splitlines())


def compare(stricter: dict[str, str], judged: list[str]) -> None:
    """Print how the commands that became stricter were judged, and those that only one of the two lists holds."""
    rows = [line.split(" | ") for line in judged]
    for (change, opinion), number in sorted(Counter([(row[1], row[3]) for row in rows]).items()):
        sys.stdout.write(f"{number:6} {change}: {opinion}\n")
    keys = {f"{row[0]} | {row[1]}" for row in rows}
    for key, script in stricter.items():
        if key not in keys:
            sys.stdout.write(f"not judged: {key}: {script}\n")
    for key in sorted(keys - stricter.keys()):
        sys.stdout.write(f"not changed: {key}\n")


if __name__ == "__main__":
    main()
