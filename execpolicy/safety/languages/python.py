"""Programs of Python that only import, read files, work something out and print it.

A program is parsed and refused for what is not listed. Names of functions get no other value, so that a call says what
it calls. What is imported from other modules than those listed is only looked at: its attributes are printed,
and nothing of it is called. Source: the language reference and the library of Python 3.11.
"""

from __future__ import annotations

import warnings
from _collections_abc import Iterator

from execpolicy.core.text import word_set
from execpolicy.safety.languages.formats import setting_refusal
from execpolicy.safety.locations import PROJECT, Location, path_refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MOST = 4_000
_PARSE_ONLY = 0x400
"""``ast.PyCF_ONLY_AST``, without the import of ``ast``, which takes longer than a decision."""
_NODES = word_set(
    "Module Expr Assign AugAssign AnnAssign For If Pass Break Continue Assert Try ExceptHandler With withitem Import "
    "ImportFrom alias Constant Name Load Store JoinedStr FormattedValue BinOp BoolOp UnaryOp Compare IfExp List Tuple "
    "Set Dict Subscript Slice ListComp SetComp DictComp GeneratorExp comprehension Starred Call keyword Attribute "
    "Lambda arguments arg NamedExpr operator unaryop boolop cmpop"
)
"""Kinds of nodes that may occur; of operators, the kinds that theirs are made of."""
_CALLED = word_set(
    "print len str int float bool repr ascii sorted list dict set tuple frozenset sum min max abs round range "
    "enumerate zip any all isinstance hasattr reversed chr ord hex bin oct divmod"
)
"""Functions that only work out a value, or print it."""
_VALUES = word_set(
    "str int float bool list dict set tuple bytes object Exception ImportError ModuleNotFoundError ValueError KeyError "
    "TypeError AttributeError FileNotFoundError OSError IndexError NameError RuntimeError UnicodeDecodeError __name__"
)
_KEYWORDS = word_set(
    "sep end flush reverse indent ensure_ascii sort_keys encoding errors start strict ndigits maxsplit keepends"
)
"""Names of arguments that are no functions and no files."""
_METHODS = word_set(
    "get items keys values split rsplit strip lstrip rstrip splitlines join startswith endswith lower upper title "
    "capitalize casefold swapcase replace count index find rfind partition rpartition zfill ljust rjust center "
    "removeprefix removesuffix encode decode append extend insert add pop update sort reverse setdefault union "
    "intersection difference issubset issuperset isdigit isalpha isalnum isspace isupper islower isnumeric group "
    "groups groupdict span read readline readlines most_common isoformat total_seconds hexdigest bit_length"
)
"""Methods of what the listed functions give, none of which leaves the process."""
_PLAIN = {
    "json": word_set("load loads dumps JSONDecodeError"),
    "sys": word_set("stdin stdin.read stdin.readlines version version_info executable platform argv maxsize stderr"),
    "re": word_set(
        "findall search match fullmatch finditer split sub compile escape IGNORECASE MULTILINE DOTALL VERBOSE I M S X"
    ),
    "math": word_set(
        "sqrt floor ceil log log2 log10 exp sin cos tan pi e inf gcd lcm prod comb perm factorial pow fabs"
    ),
    "collections": word_set("Counter OrderedDict"),
    "statistics": word_set("mean median mode stdev pstdev variance"),
    "datetime": word_set(
        "datetime date timedelta timezone datetime.now datetime.fromisoformat date.today timezone.utc"
    ),
    "itertools": word_set("chain product combinations permutations count islice"),
    "string": word_set("ascii_letters digits punctuation ascii_lowercase ascii_uppercase"),
    "hashlib": word_set("md5 sha1 sha256 sha512"),
    "base64": word_set("b64encode b64decode urlsafe_b64encode urlsafe_b64decode"),
    "textwrap": word_set("dedent indent fill wrap"),
    "unicodedata": word_set("name category normalize"),
    "platform": word_set("python_version system machine platform release"),
    "tomllib": word_set("load loads"),
    "yaml": word_set("safe_load"),
    "csv": word_set("reader DictReader"),
    "ast": word_set("parse dump literal_eval walk"),
    "time": word_set("time strftime perf_counter"),
    "pprint": word_set("pprint pformat"),
    "shutil": word_set("which"),
    "importlib": word_set("metadata metadata.version util util.find_spec"),
    "inspect": word_set("getsource getsourcefile getfile getdoc signature"),
    "os": word_set(
        "getcwd name sep linesep path.exists path.isfile path.isdir path.join path.basename path.dirname path.abspath "
        "path.realpath path.splitext path.getsize path.relpath cpu_count"
    ),
}
"""Modules whose listed functions and constants only work out values, or read what they are given."""
_LIBRARY = word_set("json sys re math collections itertools os time datetime")
"""Modules for which the entry outside of projects lists all that they, a codec or a traceback may import."""
_STARTING = word_set("antigravity idlelib this turtle turtledemo tkinter webbrowser test lib2to3 pip ensurepip venv")
"""Modules of the library that do something when they are imported, or for which parts of them do."""
_LOOKING = tuple([f"inspect.{name}" for name in ("getsource", "getsourcefile", "getfile", "getdoc", "signature")])
"""Functions that look at what they are given, whatever it is."""
_EXTENDING = ("path.insert", "path.append")
"""Methods by which ``sys`` gets another folder to import from."""
_HIDDEN = word_set("environ environb settings config conf")
"""Names of what usually contains secrets."""
_ACTING = word_set("deploy publish release migrate migrations production uninstall install setup manage prod destroy")
"""Parts of names of modules that may do something when they are imported."""
_TOLD = word_set("__version__ __file__ __name__ __doc__ __all__ __path__")
"""Attributes with two underscores that say what a module is."""


class _RefusedModule(Exception):
    """The program is not known to be harmless; the argument says why."""


def program_refusal(text: str) -> str | None:
    """The objection to the program ``text``, or ``None`` if it only imports, reads, works out and prints."""
    try:
        _PrintingModule(text)
    except _RefusedModule as refused:
        return f"is a Python program that {refused}"
    return None


def library_refusal(text: str) -> str | None:
    """The objection to ``text``, or ``None`` if it also opens no file and imports only what ``_LIBRARY`` names."""
    why = program_refusal(text)
    if why is None and not _PrintingModule(text).is_alone:
        return "is a Python program that imports or opens what may lie in the folder"
    return why


def program_locations(text: str) -> tuple[Location, ...]:
    """The files that the program ``text``, which is not refused, opens: they must be in the project."""
    return tuple([Location(path, (PROJECT,)) for path in _PrintingModule(text).opened])


def _parsed(text: str) -> Any:
    # `\N` looks a module up, and a line about the coding makes another text of this one
    if len(text) > _MOST or "coding" in text or "\\N" in text or "\0" in text:
        raise _RefusedModule("is not read")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return compile(text, "program", "exec", _PARSE_ONLY, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        raise _RefusedModule("is not read") from None


def _nodes(node: Any) -> Iterator[Any]:
    """``node`` and all below it."""
    waiting = [node]
    while waiting:
        found = waiting.pop()
        yield found
        for name in found._fields:
            inner = getattr(found, name, None)
            listed = inner if isinstance(inner, list) else [inner]
            waiting += [each for each in listed if hasattr(each, "_fields")]


def _is_kept(name: str) -> bool:
    """True if an attribute called ``name`` is private, or usually contains secrets."""
    hidden = name[:1] == "_" and name not in _TOLD
    return hidden or name.lower() in _HIDDEN or setting_refusal(name) is not None


def _dotted(node: Any) -> str:
    """``a.b.c`` for such attributes of a name, else nothing."""
    kind = type(node).__name__
    if kind == "Name":
        return str(node.id)
    inner = _dotted(node.value) if kind == "Attribute" else ""
    return f"{inner}.{node.attr}" if inner else ""


class _PrintingModule:
    """A program that is not refused.

    Attributes:
        opened: the files that it reads and the folders that it imports from.

    Raises:
        _RefusedModule: something in it is not listed.
    """

    def __init__(self, text: str) -> None:
        tree = _parsed(text)
        self.opened: list[str] = []
        self._modules: dict[str, str] = {}
        """The meanings of the imported names: ``json``, ``json.loads``."""
        nodes = list(_nodes(tree))
        for node in nodes:
            kind = type(node)
            if not (kind.__name__ in _NODES or kind.__mro__[1].__name__ in _NODES):
                raise _RefusedModule("does more than import, read and print")
            if kind.__name__ in ("Import", "ImportFrom"):
                self._import(node)
        self._foreign = any(name.partition(".")[0] not in _PLAIN for name in self._modules.values())
        bound = {name for node in nodes for name in self._bound(node)}
        for name in bound:
            if name in self._modules or name in _CALLED or name in _VALUES or name == "open":
                raise _RefusedModule(f"gives `{name}` another value")
        self._known = bound | self._modules.keys() | _CALLED | _VALUES
        self._calls = {id(node.func) for node in nodes if type(node).__name__ == "Call"}
        self._keys = {id(node.value) for node in nodes if type(node).__name__ == "keyword" and node.arg == "key"}
        self._inside = {id(node.value) for node in nodes if type(node).__name__ == "Attribute"}
        for node in nodes:
            look = getattr(self, "_look_at_" + type(node).__name__, None)
            if look is not None:
                look(node)

    @property
    def is_alone(self) -> bool:
        """True if it opens nothing, and imports nothing but the modules of ``_LIBRARY``."""
        return not self.opened and all(name.partition(".")[0] in _LIBRARY for name in self._modules.values())

    def _import(self, node: Any) -> None:
        source = getattr(node, "module", None)
        if getattr(node, "level", 0):
            raise _RefusedModule("imports by a relative name")
        for one in node.names:
            whole = one.name if source is None else f"{source}.{one.name}"
            name = one.asname or (one.name if source is not None else one.name.partition(".")[0])
            stands = whole if one.asname or source is not None else name
            parts = whole.split(".")
            acting = not _ACTING.isdisjoint(whole.replace(".", "_").lower().split("_"))
            if one.name == "*" or acting or parts[0] in _STARTING or any(map(_is_kept, parts)):
                raise _RefusedModule(f"imports `{whole}`")
            if parts[0] in _PLAIN and len(parts) > 1 and ".".join(parts[1:]) not in _PLAIN[parts[0]]:
                raise _RefusedModule(f"uses `{whole}`")
            if self._modules.setdefault(name, stands) != stands or name in _CALLED or name in _VALUES or name == "open":
                raise _RefusedModule(f"gives `{name}` another value")

    @staticmethod
    def _bound(node: Any) -> Iterator[str]:
        """Names that ``node`` gives a value."""
        kind = type(node).__name__
        if kind == "Name" and type(node.ctx).__name__ == "Store":
            yield node.id
        elif kind == "arg":
            yield node.arg
        elif kind == "ExceptHandler" and node.name:
            yield node.name

    def _meant(self, node: Any) -> str:
        """The meaning of ``a.b`` where ``a`` is imported: ``json.loads``; empty for anything else."""
        first, _, rest = _dotted(node).partition(".")
        found = self._modules.get(first, "")
        return f"{found}.{rest}" if found and rest else found

    def _look_at_Name(self, node: Any) -> None:
        if node.id not in self._known and not (node.id == "open" and id(node) in self._calls):
            raise _RefusedModule(f"uses `{node.id}`")
        if node.id in self._modules and not (
            self._foreign or id(node) in self._inside or "." in self._modules[node.id]
        ):
            raise _RefusedModule(f"hands on `{node.id}`")

    def _look_at_Attribute(self, node: Any) -> None:
        if type(node.ctx).__name__ != "Load" or _is_kept(node.attr):
            raise _RefusedModule(f"uses `.{node.attr}`")
        meant = self._meant(node)
        module, _, name = meant.partition(".")
        if module in _PLAIN and id(node) not in self._inside and not self._is_listed(module, name, node):
            raise _RefusedModule(f"uses `{meant}`")

    def _is_listed(self, module: str, name: str, node: Any) -> bool:
        """True if ``name`` of ``module`` is listed, or is a method of a listed name."""
        front, _, method = name.rpartition(".")
        called = id(node) in self._calls
        extending = called and module == "sys" and name in _EXTENDING
        return (
            extending
            or name in _PLAIN[module]
            or name in _TOLD
            or (called and method in _METHODS and front in _PLAIN[module])
        )

    def _look_at_Call(self, node: Any) -> None:
        function = node.func
        kind = type(function).__name__
        meant = self._meant(function)
        module, _, name = meant.partition(".")
        if kind == "Name" and function.id == "open":
            self._open(node)
        elif module == "sys" and name in _EXTENDING:
            self._path(node)
        elif not self._is_harmless(node.func, meant):
            raise _RefusedModule(f"calls `{_dotted(function) or 'what it works out'}`")
        for one in node.keywords:
            value = type(one.value).__name__
            to_errors = one.arg == "file" and self._meant(one.value) == "sys.stderr"
            if not (one.arg in _KEYWORDS or to_errors or (one.arg == "key" and value == "Lambda")):
                raise _RefusedModule(f"calls something with `{one.arg}=`")

    def _is_harmless(self, function: Any, meant: str) -> bool:
        """True if a call of ``function``, which is ``meant`` if it is imported, only works something out."""
        listed = meant.partition(".")[0] in _PLAIN
        if type(function).__name__ == "Name":
            return function.id in _CALLED or meant in _LOOKING or ("." in meant and listed and not self._foreign)
        plain = type(function).__name__ == "Attribute" and not self._foreign
        return meant in _LOOKING or (plain and (listed or (not meant and function.attr in _METHODS)))

    def _look_at_Subscript(self, node: Any) -> None:
        if self._foreign and type(node.ctx).__name__ != "Load":
            raise _RefusedModule("changes what it imports")

    def _look_at_withitem(self, node: Any) -> None:
        if _dotted(getattr(node.context_expr, "func", None)) != "open":
            raise _RefusedModule("enters what it does not open")

    def _look_at_Lambda(self, node: Any) -> None:
        if id(node) not in self._keys:
            raise _RefusedModule("defines a function")

    def _open(self, node: Any) -> None:
        """Note the file of ``open("a", "r")``."""
        values = [getattr(one, "value", None) for one in node.args]
        path = values[0] if values else None
        if not isinstance(path, str) or len(values) > 2 or (len(values) > 1 and values[1] not in ("r", "rb", "rt")):
            raise _RefusedModule("opens a file that is not named, or not for reading")
        self._note(path)

    def _path(self, node: Any) -> None:
        """Note the folder of ``sys.path.insert(0, "src")``."""
        path = getattr(node.args[-1], "value", None) if node.args else None
        if not isinstance(path, str) or node.keywords:
            raise _RefusedModule("imports from a folder that is not named")
        self._note(path or ".")

    def _note(self, path: str) -> None:
        refused = path_refusal(path)
        if refused is not None:
            raise _RefusedModule(f"reads `{path}`, which {refused}")
        self.opened.append(path)
