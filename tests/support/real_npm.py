"""npm: what its own command line reader makes of its words, as :mod:`tests.support.real_programs` asks it."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any, ClassVar

from tests.support.command_shapes import QUIET, Shape
from tests.support.real_tool import Tool

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from tests.support.command_shapes import Words

READER = """
const root = process.argv[1]
const Npm = require(root + '/lib/npm.js')
const { deref } = require(root + '/lib/utils/cmd-list.js')
const usual = { ...process.env }
process.setMaxListeners(0)
;(async () => {
  for await (const line of require('readline').createInterface({ input: process.stdin })) {
    for (const name of Object.keys(process.env)) if (!(name in usual)) delete process.env[name]
    let said = null
    try {
      const npm = new Npm({ argv: JSON.parse(line), npmRoot: root, stdout: process.stderr })
      await npm.load()
      npm.unload()
      const [name, ...args] = npm.config.parsedArgv.remain
      said = { command: deref(name) ?? null, args }
      const asked = 'global force tag access otp call package registry prefix save save-dev save-optional save-prod'
      const get = key => npm.config.get(key, 'cli') ?? null
      for (const key of [...asked.split(' '), 'ignore-scripts', 'script-shell']) said[key] = get(key)
    } catch { }
    console.log(JSON.stringify(said))
  }
  process.exit(0)
})()
"""
"""Answers what npm makes of the words behind ``npm``, one JSON list a line."""


def npm_folder() -> str:
    """Where npm's own modules are."""
    return subprocess.run(["npm", "root", "-g"], check=True, **QUIET).stdout.strip() + "/npm"


_HEADS = ["", "", "", " -g", " --silent", " --prefix u", " --prefix=u", " -w a", " --registry http://u", " --no-fund"]
_HEADS += [" -C u", " --force true"]
_COMMON = (
    "--registry=http://u|--registry http://u|--force|--no-force|--silent|--loglevel warn|--prefix -f|--json|--otp 1"
    "|-w a|-ws"
)


class Npm(Tool):
    """npm's own reader of command lines."""

    name = "npm"
    shapes: ClassVar = {
        "publish": Shape(
            [f"{head} {name}" for head in _HEADS for name in ("publish", "pub", "publ")],
            f"{_COMMON}|--tag x|--tag=x|--tag --force|--access public|--access=restricted|--provenance|--dry-run"
            "|--tag -f|--force=false|--force=true|--force true|--ignore-scripts",
            "fds",
            ["", "", ".", "a", "-- --force"],
        ),
        "install": Shape(
            [f"{head} {name}" for head in _HEADS for name in ("install", "i", "in", "add", "isntall", "ins", "it")],
            f"{_COMMON}|--global|--global=false|--location=global|--location global|--no-global|--save-dev|--save"
            "|--save-exact|--ignore-scripts|--no-ignore-scripts|--ignore-scripts false|--no-save|--script-shell=z"
            "|--script-shell z|--tag --global|--save-optional|--cache -g|--omit dev|--omit=dev",
            "gfDESOPd",
            ["x", "x", "x y", "-- x -g", ""],
        ),
        "uninstall": Shape(
            [f"{head} {name}" for head in _HEADS for name in ("uninstall", "un", "rm", "r", "remove", "unlink")],
            f"{_COMMON}|--global|--save|--no-save|--location=global|--ignore-scripts",
            "gfD",
            ["x", "x y", "-- x"],
        ),
        "unpublish": Shape(
            [f"{head} {name}" for head in _HEADS for name in ("unpublish", "unp", "unpub")],
            f"{_COMMON}|--dry-run|--force=false|--tag -f",
            "fd",
            ["", "x", "x@1", "-- --force"],
        ),
        "exec": Shape(
            [f"{head} {name}" for head in _HEADS for name in ("exec", "x")],
            f"{_COMMON}|--call c|--call=c|-c c|--package p|--package=p|--yes|--no|-y|--script-shell z",
            "y",
            ["a", "a -c c", "-- a --call c", ""],
        ),
        "dist-tag": Shape(
            [f"{head} {name}" for head in _HEADS for name in ("dist-tag", "dist-tags", "dist-t")],
            _COMMON,
            "fd",
            ["add x", "add x@1 y", "rm x", "ls", "-- add x"],
        ),
    }
    often: ClassVar = ["install", "publish"]
    meanings: ClassVar = {
        "publish": lambda said: True,
        "publish --force": lambda said: said["force"],
        "publish --tag x": lambda said: said["tag"] == "x",
        "publish --access public": lambda said: said["access"] == "public",
        "install": lambda said: True,
        "install -g": lambda said: said["global"],
        "install --force": lambda said: said["force"],
        "install --save-dev": lambda said: said["save-dev"],
        "install --ignore-scripts": lambda said: said["ignore-scripts"],
        "install --script-shell": lambda said: said["script-shell"],
        "uninstall": lambda said: True,
        "uninstall -g": lambda said: said["global"],
        "unpublish": lambda said: True,
        "unpublish --force": lambda said: said["force"],
        "exec --call": lambda said: said["call"],
        "exec --package": lambda said: said["package"],
        "dist-tag add": lambda said: said["args"][:1] == ["add"],
        "--registry http://u": lambda said: (said["registry"] or "").startswith("http://u"),
        "--prefix": lambda said: said["prefix"],
    }
    patterns: ClassVar = list(meanings)

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.reader = subprocess.Popen(
            ["node", "-e", READER, npm_folder()],
            cwd=folder,
            env=self.environment | {"npm_config_logs_max": "0", "npm_config_update_notifier": "false"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def spelling(self, chance: random.Random) -> Words:
        """With another number of dashes here and there, and a value behind what needs none."""
        words: Words = []
        for word in super().spelling(chance):
            if word.startswith("-") and word != "--" and chance.random() < 0.15:
                word = chance.choice(["-", "--", "---", "--no-no-"]) + word.lstrip("-")
            words.append(word)
            if word.startswith("-") and "=" not in word and chance.random() < 0.06:
                words.append(chance.choice(["true", "false"]))
        return words

    def meant(self, words: Words) -> Words:
        assert self.reader.stdin is not None
        assert self.reader.stdout is not None
        print(json.dumps(words), file=self.reader.stdin, flush=True)
        said: dict[str, Any] | None = json.loads(self.reader.stdout.readline())
        command = said and said["command"]
        if command == "install-test":
            command = "install"
        self.refused = not command
        if not said:
            return []
        mine = [each for each in self.patterns if each.startswith("-") or each.split()[0] == command]
        return [each for each in mine if self.meanings[each](said)]
