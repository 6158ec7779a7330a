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


