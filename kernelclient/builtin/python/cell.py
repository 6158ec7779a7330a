# --- running a cell -----------------------------------------------------------------------

def run_cell(code, name, silent):
    tree = parse_cell(code, name)
    last = None
    if tree.body and type(tree.body[-1]).__name__ == "Expr":
        last = tree.body.pop()
    if tree.body:
        run_code(compile(tree, name, "exec", COMPILE | future, True), code)
    if last is not None:
        import _ast
        expression = compile(_ast.Expression(last.value), name, "eval", COMPILE | future, True)
        value = run_code(expression, code)
        if value is not None and not silent and not ends_quiet(code):
            result(value)
    if "matplotlib.pyplot" in sys.modules and not silent:
        ondemand("show_figures")()


def parse_cell(code, name):
    global future
    flags = ONLY_AST | COMPILE
    try:
        tree = compile(code, name, "exec", flags | future, True)
    except SyntaxError as e:
        changed = ondemand("rewrite")(code, e)
        if changed is None:
            raise
        sources[name] = code
        tree = compile(changed, name, "exec", flags | future, True)
    if "__future__" in code:
        future |= ondemand("future_flags")(tree)
    return tree


def run_code(code, text):
    if code.co_flags & COROUTINE:
        return ondemand("await_value")(eval(code, ns))
    if ("asyncio" in text or "asyncio" in sys.modules) and ("create_task" in text or "ensure_future" in text or "get_running_loop" in text):
        return ondemand("run_in_loop")(code)
    return eval(code, ns)


def ends_quiet(code):
    """Tells whether the code ends in a semicolon, which asks for no result."""
    end = code.rstrip()
    last = end[end.rfind("\n") + 1:]
    if ";" not in last:
        return False
    if "#" in last:
        return ondemand("ends_quiet_really")(code)
    return end.endswith(";")


PLAIN = (int, float, bool, complex, str, bytes)


def bundle(value):
    """Returns a value's mime bundle and its metadata, both as JSON."""
    if type(value) in PLAIN:
        return '{"text/plain":%s}' % quote(repr(value)), "{}"
    return ondemand("rich_bundle")(value)


def result(value):
    data, metadata = bundle(value)
    remember(value)
    publish("execute_result", '{"execution_count":%d,"data":%s,"metadata":%s}' % (count, data, metadata))


def publish(kind, content):
    last_words()
    send("iopub", kind, output_parent, content)


def remember(value):
    """Keeps _, __, ___ and Out, unless the code has a use of its own for the name _."""
    ns["Out"][count] = value
    last = ns.get("_", remembered[0])
    if last is remembered[0] or last is None:
        ns["___"], ns["__"], ns["_"] = ns.get("__"), last, value
        remembered[0] = value


remembered = [None]


def display(*objects, **options):
    """Show objects in the cell's output: display(x, display_id=..., raw=False, metadata=None)."""
    if len(objects) == 1 and not options:
        publish("display_data", '{"data":%s,"metadata":%s,"transient":{}}' % bundle(objects[0]))
        return None
    return ondemand("display_with")(objects, **options)


def update_display(obj, *, display_id, **options):
    """Replace what was displayed under display_id, wherever it is."""
    return ondemand("display_with")((obj,), display_id=display_id, update=True, **options)


def clear_output(wait=False):
    """Clear the cell's output, with wait when the next output comes."""
    publish("clear_output", '{"wait":%s}' % ("true" if wait else "false"))


def execute(m):
    global running, count, output_parent, allow_stdin, mixed
    content, parent = m["content"], m["parent"]
    code, silent = content["code"], bool(content.get("silent"))
    last_words()  # of the cell before
    if code or not silent:  # else a question: what that cell's threads go on to print stays the cell's
        output_parent, mixed = parent, False
        allow_stdin = content.get("allow_stdin", True)
    status("busy", parent)
    if content.get("store_history", True) and not silent:
        count += 1
        if not IPYTHON:  # which does so itself
            ns["In"].append(code)
    name = "<Cell In[%d]>" % count if not silent else "<silent>"
    if not silent:
        sources[name] = code
        if "linecache" in sys.modules:
            ondemand("fill_linecache")(sys.modules["linecache"])
        send("iopub", "execute_input", parent, '{"code":%s,"execution_count":%d}' % (quote(code), count))
    failed = guarded(lambda: run_cell(code, name, silent))
    if os.getpid() != PID:
        leave_child(failed)
    critical.depth += 1  # no signal handler of the user's may raise in here
    try:
        reply = finish(content, failed)
        if failed is not None and not silent:
            send("iopub", "error", parent, "{%s}" % reply[0])
        send("shell", "execute_reply", parent, "{%s%s}" % reply)
        status("idle", parent)
    finally:
        critical.depth -= 1


def guarded(work):
    """Runs user code, which may be interrupted, and returns what it raised."""
    global running
    failed = None
    _signal.signal(_signal.SIGINT, on_interrupt)  # a debugger or earlier code may have changed it
    try:
        running = True
        work()
        running = False
    except BaseException as e:
        failed = e
    while running:
        try:
            running = False
        except KeyboardInterrupt as e:  # between two instructions
            failed = failed or e
    if _signal.getsignal(_signal.SIGINT) is not on_interrupt:
        _signal.signal(_signal.SIGINT, on_interrupt)
    return failed


def finish(content, failed):
    """Returns the reply in two halves; the first is also the error message."""
    described = None
    if failed is not None:
        described = ondemand("describe")(failed)
    last_words()
    tail = ',"execution_count":%d,"payload":[%s]' % (count, ",".join(payloads))
    del payloads[:]
    if described is not None:
        return described, ',"status":"error"' + tail
    expressions = "{}"
    if content.get("user_expressions"):
        expressions = ondemand("evaluate")(content["user_expressions"])
    return '"status":"ok","user_expressions":' + expressions, tail


def leave_child(failed):
    """Ends a forked child that came to the end of the cell."""
    code = 0
    if isinstance(failed, SystemExit):
        code = failed.code if isinstance(failed.code, int) else failed.code is not None
    elif failed is not None:
        sys.excepthook(type(failed), failed, failed.__traceback__)
        code = 1
    os_exit(int(code) & 255)


def kernel_info(m):
    v = ".".join(map(str, sys.version_info[:3]))
    status("busy", m["parent"])
    send(m.get("channel") or "shell", "kernel_info_reply", m["parent"], (
        '{"status":"ok","protocol_version":"5.3","implementation":"nbterm-python","implementation_version":"1",'
        '"banner":%s,"help_links":[],"language_info":{"name":"python","version":"%s","mimetype":"text/x-python",'
        '"codemirror_mode":{"name":"ipython","version":%d},"pygments_lexer":"ipython3",'
        '"nbconvert_exporter":"python","file_extension":".py"}}'
        % (quote("Python " + sys.version), v, sys.version_info[0])))
    status("idle", m["parent"])


def other(m):
    """Answers the requests that only ask. One of an unknown type gets busy and idle alone."""
    status("busy", m["parent"])
    kind = m["header"]["msg_type"]
    found = []
    failed = guarded(lambda: found.append(ondemand("answer")(kind, m.get("content") or {})))
    answer = found[0] if found else None
    if failed is not None:
        answer = '{"status":"error","ename":%s,"evalue":"","traceback":[]}' % quote(type(failed).__name__)
    if answer is not None:
        send(m.get("channel") or "shell", kind.replace("_request", "_reply"), m["parent"], answer)
    status("idle", m["parent"])


def next_request():
    global idle_loop
    if loop is not None and inbox.empty():
        ondemand("idle_in_loop")()
    return inbox.get()


def serve():
    """Handles requests, one at a time, until the end is asked for or the other side is gone."""
    while not leaving:
        try:
            m = next_request()
            if m is None:
                break
            kind = m["header"]["msg_type"]
            if kind == "execute_request":
                execute(m)
            elif kind == "kernel_info_request":
                kernel_info(m)
            else:
                other(m)
        except BaseException as e:  # a bad request, or a user's signal handler raised here
            if os.getpid() != PID:
                leave_child(e)
            warn("%s: %s" % (type(e).__name__, e))
    last_words()


def prepare():
    """Makes the process look like a notebook's to user code."""
    for name in list(ns):
        if not name.startswith("__"):
            del ns[name]
    ns.update(In=[""], Out={}, exit=Exit("exit"), quit=Exit("quit"))
    sys.argv[:] = [""]
    sys.stdout = sys.__stdout__ = stdout
    sys.stderr = sys.__stderr__ = stderr
    builtins.input = ask_line
    builtins.display, builtins.update_display, builtins.clear_output = display, update_display, clear_output
    os.write = write
    for name in ("system", "posix_spawn", "posix_spawnp"):
        wrap(os, name, before_child)
    for name in ("_exit", "abort", "kill", "killpg", "execv", "execve"):
        wrap(os, name, last_words)
    os.register_at_fork(before=before_fork, after_in_parent=after_fork_in_parent, after_in_child=after_fork_in_child)
    sys.meta_path.insert(0, Hook())
    for name in Hook.names:  # something in site has imported it already
        if name in sys.modules:
            ondemand("after_import")(sys.modules[name])
    _signal.signal(_signal.SIGINT, on_interrupt)
    hangup = getattr(_signal, "SIGHUP", None)
    if hangup and _signal.getsignal(hangup) is _signal.SIG_IGN:  # nbterm was started by nohup
        _signal.signal(hangup, _signal.SIG_DFL)  # else hang_up would leave children behind


def leave():
    """Ends the process as the interpreter would, without taking every object of it apart,
    which lasts longer than a small cell: threads are waited for, exit functions run, what
    files still hold is written. That objects alive at the end are finalized is not promised
    by Python either."""
    threading = sys.modules.get("threading")
    if threading is not None:
        threading._shutdown()
    import atexit
    import gc
    atexit._run_exitfuncs()
    for thing in gc.get_objects():
        if issubclass(type(thing), _io._IOBase):
            try:
                if not thing.closed:
                    thing.flush()
            except Exception:
                pass
    last_words()
    os_exit(0)


def main(rest):
    global more
    more = rest
    take_over()
    prepare()
    if IPYTHON:
        try:
            ondemand("start_ipython")()
        except Exception as e:
            warn("IPython could not be started: %s: %s" % (type(e).__name__, e))
            os_exit(1)
    _thread.start_new_thread(watch_taps, ())
    _thread.start_new_thread(read_requests, ())
    serve()
    if orphaned:
        _signal.signal(_signal.SIGHUP, _signal.SIG_IGN)  # this process ends in good order
        os_killpg(PID, _signal.SIGHUP)
    leave()
