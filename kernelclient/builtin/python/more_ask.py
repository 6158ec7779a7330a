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
    import inspect
    import keyword
    code, cursor = content.get("code", ""), content.get("cursor_pos", 0)
    word, start = words_before(code, cursor)
    if "." in word:
        base, _, prefix = word.rpartition(".")
        value = resolve(base)
        names = [] if value is NOWHERE else attribute_names(value)
        start += len(base) + 1

        def kind(name):
            return kind_of(inspect.getattr_static(value, name, NOWHERE))
    else:
        prefix, names = word, list(ns) + dir(builtins) + keyword.kwlist

        def kind(name):
            if keyword.iskeyword(name):
                return "keyword"
            return kind_of(ns.get(name, getattr(builtins, name, NOWHERE)))
    found = sorted({n for n in names if n.startswith(prefix) and (prefix or not n.startswith("_"))}, key=lambda n: (n.startswith("_"), n.lower(), n))
    kinds = [{"start": start, "end": cursor, "text": n, "type": kind(n)} for n in found]
    return {"status": "ok", "matches": found, "cursor_start": start, "cursor_end": cursor,
            "metadata": {"_jupyter_types_experimental": kinds}}


def kind_of(value):
    """What a completion is, in jedi's words; value may be what a class holds: nothing is called."""
    if value is NOWHERE:
        return ""
    kind = type(value)
    if issubclass(kind, type):
        return "class"
    if issubclass(kind, types.ModuleType):
        return "module"
    if issubclass(kind, (property, types.GetSetDescriptorType, types.MemberDescriptorType)):
        return "property"
    if issubclass(kind, (staticmethod, classmethod)) or any("__call__" in vars(c) for c in kind.__mro__):
        return "function"
    return "instance"


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
