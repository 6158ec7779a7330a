# The part of the kernel that a plain cell does not need. It runs in kernel.py's namespace.
import types


# --- code that is not plain Python ------------------------------------------------------------

def rewrite(code, error):
    """Returns code with the shell's lines as calls, the same number of lines; None if
    it has none. What only IPython understands is an error that says so."""
    lines, changed = code.split("\n"), False
    if lines and lines[0][:1] in (" ", "\t"):
        import textwrap
        whole = textwrap.dedent(code)
        if whole != code and whole[:1] not in (" ", "\t"):
            return whole
    for i, line in enumerate(lines):
        text = line.lstrip()
        indent = line[:len(line) - len(text)]
        if text.startswith("%%") and i == 0:
            no_magic(text.split()[0], error)
        if text.startswith(("%pip ", "!pip ")):
            lines[i], changed = indent + "__import__('sys').modules['__main__'].__dict__['__nbterm_shell__'](%r)" % (pip(text)), True
        elif text.startswith("%matplotlib"):
            lines[i], changed = indent + "pass", True
        elif text.startswith("!"):
            lines[i], changed = indent + "__nbterm_shell__(%r)" % text.lstrip("!"), True
        elif text.startswith("%") and i + 1 == error.lineno:
            no_magic(text.split()[0], error)
        elif text.rstrip().endswith("?") and i + 1 == error.lineno:
            no_magic("?", error)
    if changed:
        ns["__nbterm_shell__"] = shell
        return "\n".join(lines)
    return None


class UsageError(SyntaxError):
    """The code needs IPython."""


def no_magic(what, _error):
    raise UsageError("%s is IPython's, and this kernel is plain Python; ipykernel gives it: "
                     "pip install ipykernel, then choose the kernel python3" % what) from None


def pip(text):
    import shlex
    return "%s -m %s" % (shlex.quote(sys.executable), text.lstrip("%!"))


def shell(command):
    """Runs a line that starts with an exclamation mark; its output is the cell's."""
    import subprocess
    ns["_exit_code"] = subprocess.Popen(command, shell=True).wait()


def future_flags(tree):
    import __future__
    flags = 0
    for node in tree.body:
        if type(node).__name__ == "ImportFrom" and node.module == "__future__":
            for name in node.names:
                flags |= getattr(__future__, name.name).compiler_flag
    return flags


def ends_quiet_really(code):
    import io
    import tokenize
    last = ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER):
                last = token.string
    except (tokenize.TokenError, SyntaxError):
        pass
    return last == ";"


# --- await ----------------------------------------------------------------------------------

def the_loop():
    global loop
    import asyncio
    if loop is None or loop.is_closed():
        loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    return loop


def await_value(coroutine):
    """Runs a coroutine on the loop of all cells; tasks of earlier cells go on meanwhile."""
    import asyncio
    the_loop()
    task = loop.create_task(coroutine)
    try:
        return loop.run_until_complete(task)
    except KeyboardInterrupt:
        if not task.done():
            task.cancel()
            try:
                loop.run_until_complete(task)
            except BaseException as e:
                if not isinstance(e, asyncio.CancelledError):
                    raise
        raise


def run_in_loop(code):
    async def run():
        return eval(code, ns)
    return await_value(run())


def idle_in_loop():
    """Lets tasks go on until a request comes."""
    global idle_loop
    import asyncio
    if loop.is_closed() or not asyncio.all_tasks(loop):
        return
    idle_loop = True
    try:
        if inbox.empty():  # or the request that came before idle_loop was set would wait
            loop.create_task(stop_when_done(asyncio))
            loop.run_forever()
    finally:
        idle_loop = False


async def stop_when_done(asyncio):
    me = asyncio.current_task()
    while inbox.empty() and idle_loop:
        others = [t for t in asyncio.all_tasks(loop) if t is not me]
        if not others:
            loop.stop()
            return
        await asyncio.wait(others, timeout=1, return_when=asyncio.FIRST_COMPLETED)


# --- errors -----------------------------------------------------------------------------------

def fill_linecache(module):
    for name, text in sources.items():
        if name not in module.cache:
            module.cache[name] = (len(text), None, text.splitlines(True), name)


def describe(e):
    """Returns ename, evalue and traceback of an exception as members of a JSON object."""
    import linecache
    import traceback
    fill_linecache(linecache)
    name = type(e).__name__
    try:
        value = str(e)
    except Exception:
        value = "<an error whose text cannot be made>"
    sys.last_type, sys.last_value, sys.last_traceback = type(e), e, e.__traceback__
    try:
        lines = traceback_lines(traceback, e)
    except Exception:
        lines = ["%s: %s" % (name, value)]
    return '"ename":%s,"evalue":%s,"traceback":[%s]' % (quote(name), quote(value), ",".join(map(quote, lines)))


def traceback_lines(traceback, e):
    told = traceback.TracebackException(type(e), e, e.__traceback__)
    prune(told, set())
    text = "".join(told.format())
    lines = []
    for line in text.rstrip("\n").split("\n"):
        bare = line.lstrip()
        if bare.startswith('File "<Cell In['):
            line = line.replace('File "<', "\x1b[32m", 1).replace('>"', "\x1b[0m", 1)
        elif line.startswith("Traceback "):
            line = "\x1b[2m" + line + "\x1b[0m"
        elif not line.startswith(" "):
            head, colon, rest = line.partition(":")
            if head.replace(".", "").replace("_", "").isalnum():
                line = "\x1b[31m" + head + "\x1b[0m" + colon + rest
        lines.append(line)
    return lines


def prune(told, seen):
    """Takes the frames of the kernel out, and what called the cell."""
    if told is None or id(told) in seen:
        return
    seen.add(id(told))
    stack = told.stack
    cells = [i for i, f in enumerate(stack) if f.filename in sources]
    if cells:
        del stack[:cells[0]]
    stack[:] = [f for f in stack if not f.filename.startswith("<nbterm kernel")]
    prune(told.__cause__, seen)
    prune(told.__context__, seen)
    for inner in getattr(told, "exceptions", None) or ():
        prune(inner, seen)


# --- displays ---------------------------------------------------------------------------------

METHODS = (
    ("text/html", "_repr_html_"), ("text/markdown", "_repr_markdown_"), ("image/svg+xml", "_repr_svg_"),
    ("image/png", "_repr_png_"), ("image/jpeg", "_repr_jpeg_"), ("application/pdf", "_repr_pdf_"),
    ("text/latex", "_repr_latex_"), ("application/json", "_repr_json_"),
    ("application/javascript", "_repr_javascript_"),
)
MANY = 1000  # elements of a container that are shown


def to_json(value):
    import json

    def default(v):
        if isinstance(v, (bytes, bytearray, memoryview)):
            return base64(v)
        return repr(v)
    return json.dumps(value, default=default, skipkeys=True)


def base64(data):
    import binascii
    return binascii.b2a_base64(bytes(data), newline=False).decode()


def data_json(data):
    return quote(base64(data)) if isinstance(data, (bytes, bytearray, memoryview)) else to_json(data)


def join_members(members):
    return "{%s}" % ",".join("%s:%s" % (quote(str(k)), v) for k, v in members.items())


def rich_bundle(value):
    data, metadata = {}, {}
    if not isinstance(value, type) and type(value).__module__ != "builtins" and not answers_to_all(value):
        whole = call_method(value, "_repr_mimebundle_", include=None, exclude=None)
        if isinstance(whole, tuple) and len(whole) == 2:
            whole, metadata = whole
        for mime, v in (whole or {}).items():
            if v is not None:
                data[mime] = data_json(v)
        for mime, method in METHODS:
            if mime not in data:
                v = call_method(value, method)
                if isinstance(v, tuple) and len(v) == 2:
                    v, metadata = v[0], dict(metadata, **{mime: v[1]})
                if v is not None:
                    data[mime] = data_json(v)
        if "image/png" not in data and is_figure(value):
            data["image/png"] = quote(base64(figure_png(value)))
    if "text/plain" not in data:
        data["text/plain"] = quote(plain(value))
    return join_members(data), to_json(metadata or {})


def answers_to_all(value):
    """Tells whether an object has every attribute there is, as a mock has."""
    try:
        return hasattr(value, "_nbterm_no_object_has_this_")
    except Exception:
        return True


def call_method(value, name, **options):
    try:
        method = getattr(value, name, None)
        if method is None or not callable(method):
            return None
        try:
            return method(**options)
        except NotImplementedError:
            return None
    except Exception as e:
        import traceback
        told = traceback.TracebackException(type(e), e, e.__traceback__)
        prune(told, set())
        stderr.write("%s failed:\n%s" % (name, "".join(told.format())))
        return None


def plain(value):
    """repr, over several lines where a container is long."""
    kind = type(value)
    if kind not in (list, tuple, dict, set, frozenset):
        return repr(value)
    if len(value) <= MANY:
        text = repr(value)
        return text if len(text) < 80 else pretty(value)
    import itertools
    if kind is dict:
        some = dict(itertools.islice(value.items(), MANY))
    else:
        some = kind(itertools.islice(value, MANY))
    text = pretty(some)
    close = 2 if kind is frozenset else 1
    return text[:-close] + ",\n ..." + text[-close:]


def pretty(value):
    import pprint
    return pprint.pformat(value, width=80, sort_dicts=False)


def display_with(objects, display_id=None, update=False, raw=False, metadata=None, transient=None, include=None, exclude=None, **_):
    if display_id is True:
        display_id = os.urandom(16).hex()
    if update and display_id is None:
        raise TypeError("display_id is needed to update")
    about = dict(transient or {})
    if display_id is not None:
        about["display_id"] = str(display_id)
    for value in objects:
        if raw:
            data = join_members({k: data_json(v) for k, v in value.items()})
            more_metadata = {}
        else:
            data, own = bundle(value)
            more_metadata = parse(own)
        if metadata:
            more_metadata.update(metadata)
        publish("update_display_data" if update else "display_data",
                '{"data":%s,"metadata":%s,"transient":%s}' % (data, to_json(more_metadata), to_json(about)))
    if display_id is not None and not update:
        return DisplayHandle(display_id)
    return None


class DisplayHandle:
    """What display(..., display_id=...) returns."""

    def __init__(self, display_id=None):
        self.display_id = display_id or os.urandom(16).hex()

    def __repr__(self):
        return "<DisplayHandle display_id=%s>" % self.display_id

    def display(self, obj, **options):
        display(obj, display_id=self.display_id, **options)

    def update(self, obj, **options):
        update_display(obj, display_id=self.display_id, **options)


def publish_display_data(data, metadata=None, transient=None, update=False, **_):
    display_with((data,), raw=True, metadata=metadata, transient=transient, update=False) if not update else \
        display_with((data,), raw=True, metadata=metadata, display_id=(transient or {}).get("display_id"), update=True)


# --- matplotlib -------------------------------------------------------------------------------

def is_figure(value):
    return type(value).__module__.startswith("matplotlib.") and hasattr(value, "savefig")


def figure_png(figure):
    import io
    out = io.BytesIO()
    figure.savefig(out, format="png", bbox_inches="tight")
    return out.getvalue()


def show_figures(*_, **__):
    """Shows the open figures as pictures and closes them, as at the end of each cell."""
    pyplot = sys.modules["matplotlib.pyplot"]
    if not getattr(pyplot, "_nbterm_shows", False):
        return
    for number in pyplot.get_fignums():
        figure = pyplot.figure(number)
        if figure.get_axes() or figure.lines or figure.texts or figure.images:
            display(figure)
    pyplot.close("all")


# --- modules that want something of us ----------------------------------------------------------

class After:
    """A loader that acts after the real one."""

    def __init__(self, loader):
        self.loader = loader

    def __getattr__(self, name):
        return getattr(self.loader, name)

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        self.loader.exec_module(module)
        module.__loader__ = module.__spec__.loader = self.loader
        after_import(module)


def hooked_spec(name, path):
    import importlib.util
    from importlib.machinery import BuiltinImporter, PathFinder
    spec = BuiltinImporter.find_spec(name) or PathFinder.find_spec(name, path)
    if spec is None:
        if name in ("IPython", "IPython.display", "IPython.core", "IPython.core.display"):
            return importlib.util.spec_from_loader(name, Stand(), is_package=name in ("IPython", "IPython.core"))
        return None
    if name in Hook.names and hasattr(spec.loader, "exec_module"):
        spec.loader = After(spec.loader)
    return spec


def after_import(module):
    name = module.__name__
    if name == "linecache":
        fill_linecache(module)
    elif name == "getpass":
        module.getpass = module.unix_getpass = ask_password
    elif name == "signal":
        hold_handlers(module)
    elif name == "_posixsubprocess":
        wrap(module, "fork_exec", before_child)
    elif name == "subprocess" and "_posixsubprocess" in sys.modules:
        module._fork_exec = sys.modules["_posixsubprocess"].fork_exec
    elif name == "matplotlib" and "MPLBACKEND" not in os.environ:
        module.use("agg")
    elif name == "matplotlib.pyplot" and "MPLBACKEND" not in os.environ:
        module._nbterm_shows, module.show = True, show_figures
    elif name in ("IPython.core.display_functions", "IPython.core.display"):
        for ours in (display, update_display, clear_output, publish_display_data):
            if hasattr(module, ours.__name__):
                setattr(module, ours.__name__, ours)


class Held:
    """A signal's handler that is not called, and cannot raise, while a message is sent."""

    def __init__(self, handler):
        self.handler = handler

    def __call__(self, number, frame):
        critical.call(self.handler, number, frame)


def hold_handlers(module):
    real_signal, real_getsignal = module.signal, module.getsignal

    def bare(handler):
        return handler.handler if isinstance(handler, Held) else handler

    def signal(signalnum, handler):
        if callable(handler) and handler is not on_interrupt:
            handler = Held(handler)
        return bare(real_signal(signalnum, handler))

    def getsignal(signalnum):
        return bare(real_getsignal(signalnum))

    for ours, real in ((signal, real_signal), (getsignal, real_getsignal)):
        ours.__doc__, ours.__wrapped__ = real.__doc__, real
        ours.__module__, ours.__qualname__ = "signal", real.__name__
        setattr(module, real.__name__, ours)


def ask_password(prompt="Password: ", stream=None, **_):
    """Ask for a line that is not shown."""
    return ask(prompt, True)


class Stand:
    """The loader of what stands in for IPython's display functions."""

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        if module.__name__ == "IPython":
            module.get_ipython = lambda: None
            module.version_info = (0, 0)
            from_display(module)
        elif module.__name__ != "IPython.core":
            from_display(module)


def from_display(module):
    for thing in (display, update_display, clear_output, publish_display_data, DisplayHandle) + SHOWN:
        setattr(module, thing.__name__, thing)


class DisplayObject:
    """Something to display: its data or a file or address that has it."""

    _mime = "text/plain"
    _binary = False

    def __init__(self, data=None, url=None, filename=None, metadata=None, **options):
        if url is not None and data is None:
            import urllib.request
            with urllib.request.urlopen(url) as f:
                data = f.read()
        if isinstance(data, os.PathLike):
            data, filename = None, os.fspath(data)
        if data is None and filename is not None:
            with open(filename, "rb") as f:
                data = f.read()
        if not self._binary and isinstance(data, bytes):
            data = data.decode()
        self.data, self.url, self.filename, self.metadata = data, url, filename, metadata or {}
        self.options = options

    def __repr__(self):
        return "<%s object>" % type(self).__name__

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {self._mime: self.data}, ({self._mime: self.metadata} if self.metadata else {})


def shown(name, mime, binary=False):
    return type(name, (DisplayObject,), {"_mime": mime, "_binary": binary, "__module__": "IPython.display"})


HTML = shown("HTML", "text/html")
Markdown = shown("Markdown", "text/markdown")
SVG = shown("SVG", "image/svg+xml")
Latex = shown("Latex", "text/latex")
Javascript = shown("Javascript", "application/javascript")
Pretty = shown("Pretty", "text/plain")
TextDisplayObject = DisplayObject


class Math(Latex):
    """A formula."""

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/latex": r"$\displaystyle %s$" % self.data.strip("$")}


class JSON(DisplayObject):
    """Unpacked JSON."""

    _mime = "application/json"


class Image(DisplayObject):
    """A picture: bytes, a file or an address."""

    _binary = True

    def __init__(self, data=None, url=None, filename=None, format=None, **options):
        if isinstance(data, str):
            data, filename = None, data
        super().__init__(data, url, filename, **options)
        size = {k: options[k] for k in ("width", "height") if options.get(k) is not None}
        self.metadata = dict(self.metadata, **size)
        head = bytes(self.data[:8])
        self._mime = {b"\x89PN": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF": "image/gif", b"RIF": "image/webp"}.get(
            head[:3], "image/" + (format or "png"))


SHOWN = (DisplayObject, TextDisplayObject, HTML, Markdown, SVG, Latex, Math, Javascript, Pretty, JSON, Image)


# --- questions about the namespace ----------------------------------------------------------------

def answer(kind, content):
    """Returns the content of the reply to a request that only asks, None for an unknown one."""
    answers_of = {
        "complete_request": complete, "inspect_request": inspect_name, "is_complete_request": is_complete,
        "history_request": history, "comm_info_request": lambda _: {"status": "ok", "comms": {}},
    }
    if kind not in answers_of:
        return None
    return to_json(answers_of[kind](content))


def words_before(code, cursor):
    """Returns the dotted name that ends at the cursor, and where it starts."""
    start = cursor
    while start > 0 and (code[start - 1].isalnum() or code[start - 1] in "._"):
        start -= 1
    return code[start:cursor], start


NOWHERE = object()


def resolve(path):
    """Returns what a dotted name stands for, without running properties."""
    import inspect
    names = path.split(".")
    value = ns.get(names[0], getattr(builtins, names[0], NOWHERE))
    for name in names[1:]:
        if value is NOWHERE:
            return value
        fixed = inspect.getattr_static(value, name, NOWHERE)
        if isinstance(fixed, (property, types.GetSetDescriptorType)) and not isinstance(value, type):
            return fixed
        try:
            value = getattr(value, name, NOWHERE)
        except Exception:
            return NOWHERE
    return value


def complete(content):
    import keyword
    code, cursor = content.get("code", ""), content.get("cursor_pos", 0)
    word, start = words_before(code, cursor)
    if "." in word:
        base, _, prefix = word.rpartition(".")
        value = resolve(base)
        names = [] if value is NOWHERE else attribute_names(value)
        start += len(base) + 1
    else:
        prefix, names = word, list(ns) + dir(builtins) + keyword.kwlist
    found = sorted({n for n in names if n.startswith(prefix) and (prefix or not n.startswith("_"))}, key=lambda n: (n.startswith("_"), n.lower(), n))
    return {"status": "ok", "matches": found, "cursor_start": start, "cursor_end": cursor, "metadata": {}}


def attribute_names(value):
    try:
        return [n for n in dir(value) if isinstance(n, str)]
    except Exception:
        return []


def inspect_name(content):
    code, cursor = content.get("code", ""), content.get("cursor_pos", 0)
    while cursor < len(code) and (code[cursor].isalnum() or code[cursor] == "_"):
        cursor += 1
    word, _ = words_before(code, cursor)
    if not word and code[:cursor].rstrip().endswith("("):
        word, _ = words_before(code, len(code[:cursor].rstrip()) - 1)
    value = resolve(word) if word else NOWHERE
    if value is NOWHERE:
        return {"status": "ok", "found": False, "data": {}, "metadata": {}}
    return {"status": "ok", "found": True, "metadata": {}, "data": {"text/plain": about(value, word, content.get("detail_level", 0))}}


def about(value, word, detail):
    import inspect
    lines = []
    try:
        lines.append("Signature: %s%s" % (word, inspect.signature(value)))
    except Exception:
        pass
    lines.append("Type:      %s" % type(value).__name__)
    if not callable(value) and not isinstance(value, (types.ModuleType, property)):
        try:
            lines.append("Value:     %s" % plain(value)[:2000])
        except Exception:
            pass
    if detail:
        import linecache
        fill_linecache(linecache)
        try:
            lines.append("Source:\n" + inspect.getsource(value))
        except Exception:
            pass
    doc = inspect.getdoc(value)
    if doc:
        lines.append("Docstring:\n" + doc)
    return "\n".join(lines)


def is_complete(content):
    import codeop
    import warnings
    code = content.get("code", "")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(code, "<input>", "exec", COMPILE | ONLY_AST, True)
        except (SyntaxError, ValueError, OverflowError):
            try:
                whole = codeop.compile_command(code, "<input>", "exec")
            except (SyntaxError, ValueError, OverflowError):
                return {"status": "invalid"}
            if whole is not None:
                return {"status": "complete"}
            return {"status": "incomplete", "indent": next_indent(code)}
    lines = code.split("\n")
    if len(lines) > 1 and lines[-1].startswith((" ", "\t")) and lines[-1].strip():
        return {"status": "incomplete", "indent": next_indent(code)}
    return {"status": "complete"}


def next_indent(code):
    last = code.split("\n")[-1]
    indent = last[:len(last) - len(last.lstrip())]
    return indent + "    " if last.rstrip().endswith(":") else indent


def history(content):
    cells = [[0, i, text] for i, text in enumerate(ns["In"]) if i]
    if content.get("hist_access_type") == "range":
        start, stop = content.get("start") or 1, content.get("stop")
        cells = [c for c in cells if c[1] >= start and (stop is None or c[1] < stop)]
    elif content.get("hist_access_type") == "search":
        import fnmatch
        cells = [c for c in cells if fnmatch.fnmatchcase(c[2], content.get("pattern") or "*")]
    n = content.get("n") or len(cells)
    return {"status": "ok", "history": cells[-n:] if cells else []}


def evaluate(expressions):
    out = {}
    for key, text in expressions.items():
        try:
            value = eval(text, ns)
            data, metadata = bundle(value)
            out[key] = '{"status":"ok","data":%s,"metadata":%s}' % (data, metadata)
        except BaseException as e:
            out[key] = '{"status":"error",%s}' % describe(e)
    return join_members(out)
