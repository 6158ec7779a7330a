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


