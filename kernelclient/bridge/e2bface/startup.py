# What an IPython kernel gets before the first code of a context, so that its results carry
# what E2B's clients read: json of lists and dicts, data of frames, charts of figures.
# It is run in a namespace of its own and leaves no name in the user's.
import datetime
import json
import math
import re
import sys

from traitlets import ObjectName, Unicode
from IPython.core.formatters import BaseFormatter


def plain(value):
    """value as JSON can say it: numbers of numpy as numbers, keys as text, NaN as null."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return plain(value.tolist())
    raise TypeError(type(value).__name__)


def key(k):
    if isinstance(k, str):
        return str(k)
    if k is None or isinstance(k, bool):
        return json.dumps(k)
    if isinstance(k, (int, float)):
        return repr(k)
    if isinstance(k, (datetime.datetime, datetime.date, datetime.time)):
        return k.isoformat()
    raise TypeError(type(k).__name__)


def as_json(value):
    try:
        return plain(value)
    except (TypeError, ValueError, RecursionError):
        own = getattr(value, "_repr_json_", None)
        return own() if own else None


def cell(value):
    """A cell of a frame. What is no number is the word for it, as in E2B's sandboxes."""
    if value is None:
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return str(float(value))
    if type(value).__name__ in ("NaTType", "NAType"):
        return None
    if hasattr(value, "isoformat"):
        return value.isoformat()
    try:
        return plain(value)
    except (TypeError, ValueError, RecursionError):
        return str(value)


def frame_data(frame):
    try:
        return {str(label): [cell(v) for v in frame.iloc[:, i].tolist()] for i, label in enumerate(frame.columns)}
    except Exception:
        return None


def text(value):
    return value or None


# charts

def unit(label):
    found = re.search(r"\s\((.*?)\)|\[(.*?)\]", label or "")
    return text(found.group(1) or found.group(2)) if found else None


def is_date(axis):
    converter = axis.get_converter() if hasattr(axis, "get_converter") else axis.converter
    return "date" in type(converter).__name__.lower()


def is_category(axis):
    converter = axis.get_converter() if hasattr(axis, "get_converter") else axis.converter
    return "category" in type(converter).__name__.lower()


def scale(axis):
    if is_date(axis):
        return "datetime"
    return "categorical" if is_category(axis) else axis.get_scale()


def ticks(axis):
    if is_date(axis):
        from matplotlib.dates import num2date
        return [num2date(t).isoformat() for t in axis.get_ticklocs()]
    return [float(t) for t in axis.get_ticklocs()]


def tick_labels(axis):
    return [t.get_text() for t in axis.get_ticklabels()]


def axes_keys(x, y):
    lx, ly = x.get_label().get_text(), y.get_label().get_text()
    return {"x_label": text(lx), "y_label": text(ly), "x_unit": unit(lx), "y_unit": unit(ly)}


def point_keys(axes):
    out = axes_keys(axes.xaxis, axes.yaxis)
    for name, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
        out[name + "_ticks"], out[name + "_tick_labels"], out[name + "_scale"] = ticks(axis), tick_labels(axis), scale(axis)
    return out


def coordinate(value, axis):
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if type(value).__name__ == "datetime64":
        return str(value.astype("datetime64[s]"))
    if isinstance(value, str):
        return str(value)
    return float(value)


def line_chart(axes):
    out = []
    for i, line in enumerate(axes.get_lines()):
        label = line.get_label()
        if label == "_nolegend_":  # a part of something, such as a box's whisker
            continue
        if str(label).startswith("_child"):
            label = "Line %d" % i
        points = zip(line.get_xdata(orig=True), line.get_ydata(orig=True))
        out.append({"label": str(label), "points": [[coordinate(x, axes.xaxis), coordinate(y, axes.yaxis)] for x, y in points]})
    return out


def scatter_chart(axes):
    from matplotlib.collections import PathCollection
    out = []
    for c in axes.collections:
        if isinstance(c, PathCollection):
            out.append({"label": str(c.get_label()), "points": [[float(x), float(y)] for x, y in c.get_offsets().data]})
    return out


def bar_chart(axes):
    """The bars, and whether they lie: matplotlib says so itself."""
    out, lying = [], False
    for n, container in enumerate(c for c in axes.containers if hasattr(c, "patches")):
        lying = getattr(container, "orientation", "vertical") == "horizontal"
        group = container.get_label()
        if not group or str(group).startswith("_"):
            group = "Group %d" % n
        axis = axes.yaxis if lying else axes.xaxis
        names = [t.get_text() for t in axis.get_ticklabels()]
        places = axis.get_ticklocs()
        at = dict((round(float(place), 9), name) for place, name in zip(places, names) if name)
        middles = [round(float(bar.get_y() + bar.get_height() / 2 if lying else bar.get_x() + bar.get_width() / 2), 9) for bar in container.patches]
        named = all(m in at for m in middles)  # else, as of a histogram, the ticks' texts in their order
        for i, (bar, middle) in enumerate(zip(container.patches, middles)):
            label = at[middle] if named else names[i] if i < len(names) else "%g" % middle
            out.append({"label": label, "group": str(group), "value": float(bar.get_width() if lying else bar.get_height())})
    return out, lying


def pie_chart(axes):
    return [{"label": str(w.get_label()), "angle": abs(float(w.theta2 - w.theta1)), "radius": float(w.r)} for w in axes.patches]


def box_chart(axes):
    out = []
    lines = list(axes.get_lines())
    names = [t.get_text() for t in axes.get_xticklabels()]
    if not any(names):
        names = [t.get_text() for t in axes.get_yticklabels()]
    per = len(lines) // max(len(axes.patches), 1)
    for i, patch in enumerate(axes.patches):
        path = patch.get_path().vertices
        own = lines[i * per:(i + 1) * per]
        upright = abs(path[0][1] - path[1][1]) < 1e-12
        of = 1 if upright else 0
        values = sorted({float(v[of]) for v in path[:4]})
        data = [[float(v) for v in (line.get_ydata() if upright else line.get_xdata())] for line in own]
        whiskers, median = data[:2], next((d for d in data[4:] if len(d) == 2 and d[0] == d[1] and values[0] <= d[0] <= values[-1]), None)
        fliers = data[-1] if per >= 6 and len(data) > 5 else []
        if per >= 6 and own and own[-1].get_linestyle() not in ("None", "", " "):
            fliers, median = next((d for d, l in zip(data, own) if l.get_linestyle() in ("None", "", " ")), []), data[-1]
        ends = [v for w in whiskers for v in w]
        out.append({"label": names[i] if i < len(names) else str(i + 1), "min": min(ends), "first_quartile": values[0],
                    "median": median[0] if median else values[0], "third_quartile": values[-1], "max": max(ends), "outliers": fliers})
    return out


def grid_like(line):
    return len(line.get_xdata()) == 2


def kind(axes):
    from matplotlib.collections import PathCollection
    from matplotlib.patches import PathPatch, Rectangle, Wedge
    lines, patches, collections = list(axes.get_lines()), list(axes.patches), list(axes.collections)
    own = [line for line in lines if not grid_like(line)]
    if lines and not patches and not collections:
        return "line"
    if patches and not collections and lines and all(isinstance(p, PathPatch) for p in patches):
        return "box_and_whisker"
    if own:
        return "unknown"
    if collections and not patches and all(isinstance(c, PathCollection) for c in collections):
        return "scatter"
    if patches and not collections and all(isinstance(p, Wedge) for p in patches):
        return "pie"
    if patches and not collections and all(isinstance(p, Rectangle) for p in patches):
        return "bar"
    return "unknown"


def axes_chart(axes):
    out = {"type": kind(axes), "title": text(axes.get_title())}
    if out["type"] == "line":
        out["elements"] = line_chart(axes)
        out.update(point_keys(axes))
    elif out["type"] == "scatter":
        out["elements"] = scatter_chart(axes)
        out.update(point_keys(axes))
    elif out["type"] == "bar":
        out["elements"], lying = bar_chart(axes)
        out.update(axes_keys(axes.yaxis, axes.xaxis) if lying else axes_keys(axes.xaxis, axes.yaxis))
    elif out["type"] == "pie":
        out["elements"] = pie_chart(axes)
    elif out["type"] == "box_and_whisker":
        out["elements"] = box_chart(axes)
        out.update(axes_keys(axes.xaxis, axes.yaxis))
    else:
        out["elements"] = []
    return out


def figure_chart(figure):
    try:
        axes = figure.get_axes()
        if not axes:
            return {}
        figure.canvas.draw()  # ticks have no text before
        if len(axes) > 1:
            title = figure._suptitle.get_text() if figure._suptitle else ""
            return plain({"type": "superchart", "title": title, "elements": [axes_chart(a) for a in axes]})
        if not axes[0].has_data():
            return {}
        return plain(axes_chart(axes[0]))
    except Exception:
        return {}


class DataFormatter(BaseFormatter):
    format_type = Unicode("e2b/data")
    print_method = ObjectName("_repr_e2b_data_")
    _return_type = dict


class ChartFormatter(BaseFormatter):
    format_type = Unicode("e2b/chart")
    print_method = ObjectName("_repr_e2b_chart_")
    _return_type = dict

    def __call__(self, obj):
        # Not by for_type: choosing the formats of pictures takes figures out of all formatters.
        known = sys.modules.get("matplotlib.figure")
        if known is not None and isinstance(obj, known.Figure):
            return figure_chart(obj)
        return super().__call__(obj)


class ShowsSaved:
    """Lets Pillow, once it is imported, display the pictures that it saves to a path."""

    def find_spec(self, name, path=None, target=None):
        if name != "PIL.Image":
            return None
        from importlib.machinery import PathFinder
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return None
        inner = spec.loader.exec_module

        def exec_module(module):
            inner(module)
            show_saved(module)

        spec.loader.exec_module = exec_module
        return spec


def show_saved(module):
    save = module.Image.save

    def saved(self, fp, *args, **kwargs):
        save(self, fp, *args, **kwargs)
        if isinstance(fp, str):
            from IPython.display import display
            display(self)

    module.Image.save = saved
    module.Image.show = lambda self, *args, **kwargs: display_alone(self)


def display_alone(value):
    from IPython.display import display
    display(value)


def install(shell):
    formatters = shell.display_formatter.formatters
    formatters["text/plain"].max_seq_length = 0
    for kind_of in (list, dict):
        formatters["application/json"].for_type(kind_of, as_json)
    data, chart = DataFormatter(parent=shell.display_formatter), ChartFormatter(parent=shell.display_formatter)
    for module in ("pandas", "pandas.core.frame"):
        data.for_type_by_name(module, "DataFrame", frame_data)
    formatters["e2b/data"], formatters["e2b/chart"] = data, chart
    try:
        shell.colors = "nocolor"
    except Exception:
        shell.run_line_magic("colors", "NoColor")
    if "PIL.Image" in sys.modules:
        show_saved(sys.modules["PIL.Image"])
    else:
        sys.meta_path.insert(0, ShowsSaved())
