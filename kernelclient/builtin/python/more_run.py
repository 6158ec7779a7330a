# The part of the kernel that a plain cell does not need begins here.
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


