"""Commands inside containers and pods: ``docker run``, ``docker exec``, ``docker compose exec``, ``kubectl exec``."""

from __future__ import annotations

from execpolicy.programs.options import option_table
from execpolicy.programs.walk import walk
from execpolicy.programs.wrapped import wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command


def docker(command: Command, facts: Facts, name: str) -> list[Inner]:
    """``docker``, ``podman``, ``nerdctl`` and ``docker-compose``."""
    from execpolicy.programs.wrappers import COMPOSE_GLOBAL, DOCKER_EXEC, DOCKER_GLOBAL, DOCKER_RUN

    words = command.words
    found: list[Inner] = []
    table = DOCKER_GLOBAL if "compose" not in name else COMPOSE_GLOBAL
    for at in walk(option_table(table), words, 1).starts:
        verb = words[at].literal
        starts = [at]
        if verb in ("container", "pod"):
            starts = walk(option_table(""), words, at + 1).starts
        elif verb == "compose":
            starts = walk(option_table(COMPOSE_GLOBAL), words, at + 1).starts
        for start in starts:
            verb = words[start].literal
            if verb == "exec":
                found.extend(wrapped(name, DOCKER_EXEC, command, facts, start + 1))
            elif verb in ("run", "create"):
                found.extend(wrapped(name, DOCKER_RUN, command, facts, start + 1))
    return found


def kubectl(command: Command, facts: Facts, name: str) -> list[Inner]:
    """``kubectl`` and ``oc``: ``exec POD -- COMMAND``, ``run NAME --image=I -- COMMAND``, ``debug``, ``rsh``."""
    from execpolicy.programs.inner import run_command
    from execpolicy.programs.wrappers import KUBECTL

    words = command.words
    verbs = list(walk(option_table(KUBECTL.options), words, 1).starts)
    if not any(words[at].literal in ("exec", "run", "debug", "rsh") for at in verbs):
        return []
    dashes = next((at for at, word in enumerate(words) if word.literal == "--"), 0)
    if dashes:
        rest = words[dashes + 1 :]
        return [run_command(name, command, rest)] if rest else []
    found: list[Inner] = []
    for at in verbs:
        if words[at].literal in ("exec", "rsh"):
            found.extend(wrapped(name, KUBECTL, command, facts, at + 1))
    return found
