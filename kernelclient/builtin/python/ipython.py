

# --- IPython ----------------------------------------------------------------------------------
# The same kernel around IPython's shell: it runs the cells, completes and inspects; messages,
# streams, input and signals stay the kernel's. This part is only sent where IPython is wanted.

def start_ipython():
    """Makes IPython's shell the one that runs cells."""
    global shell, plain_describe, run_cell, describe, complete, inspect_name, is_complete, rich_bundle
    import importlib.util
    if importlib.util.find_spec("matplotlib_inline") is not None:
        os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
        Hook.names -= {"matplotlib", "matplotlib.pyplot"}
    Hook.names -= {"IPython.core.display", "IPython.core.display_functions"}
    for name in ("update_display", "clear_output"):
        delattr(builtins, name)
    from traitlets.config import Config
    config = Config()
    config.HistoryManager.enabled = False  # nothing of a notebook goes to IPython's own history
    for name in ("In", "Out"):
        ns.pop(name, None)
    shell = shell_class().instance(config=config, user_module=main_module, user_ns=ns)
    quit_with = exit_class()
    ns.update(exit=quit_with("exit"), quit=quit_with("quit"))
    plain_describe = describe
    run_cell, describe, rich_bundle = ipython_run_cell, ipython_describe, ipython_bundle
    complete, inspect_name, is_complete = ipython_complete, ipython_inspect, ipython_is_complete


def shell_class():
    from IPython.core import page, payloadpage
    from IPython.core.displayhook import DisplayHook
    from IPython.core.displaypub import DisplayPublisher
    from IPython.core.error import UsageError as Usage
    from IPython.core.interactiveshell import InteractiveShell

    class ResultHook(DisplayHook):
        """Sends the value of a cell's last expression."""

        def start_displayhook(self):
            pass

        def write_output_prompt(self):
            pass

        def write_format_data(self, format_dict, md_dict=None):
            if format_dict:
                publish("execute_result", '{"execution_count":%d,"data":%s,"metadata":%s}' % (
                    count, mime_json(format_dict), to_json(md_dict or {})))

        def finish_displayhook(self):
            pass

    class Publisher(DisplayPublisher):
        """Sends displays."""

        def publish(self, data, metadata=None, source=None, *, transient=None, update=False, **_):
            publish("update_display_data" if update else "display_data", '{"data":%s,"metadata":%s,"transient":%s}' % (
                mime_json(data), to_json(metadata or {}), to_json(transient or {})))

        def clear_output(self, wait=False):
            clear_output(wait)

    class Shell(InteractiveShell):
        """IPython's shell in this kernel."""

        displayhook_class = ResultHook
        display_pub_class = Publisher
        told = None  # the traceback of the error that was shown last, in lines
        system = InteractiveShell.system_raw  # what it prints is captured, and no terminal is pretended

        def init_hooks(self):
            super().init_hooks()
            self.set_hook("show_in_pager", page.as_hook(payloadpage.page), 99)

        def enable_gui(self, gui=None):
            if gui not in (None, "inline", "agg"):
                raise Usage("the event loop of %r cannot run in this kernel" % gui)

        def set_next_input(self, s, replace=False):
            self.payload_manager.write_payload({"source": "set_next_input", "text": s, "replace": replace})

        def _showtraceback(self, etype, evalue, stb):
            self.told = list(stb)

    return Shell


def exit_class():
    from IPython.core.autocall import IPyAutocall

    class QuitShell(Exit, IPyAutocall):
        """exit and quit, with parentheses or without."""

        rewrite = False

    return QuitShell


def mime_json(data):
    return join_members({mime: data_json(v) for mime, v in data.items()})


def ipython_run_cell(code, name, silent):
    shell.execution_count, shell.told = count, None
    options = {"store_history": not silent, "silent": silent}
    done = None
    try:
        transformed, failed = shell.transform_cell(code), None
    except Exception:
        transformed, failed = code, sys.exc_info()
    try:
        if needs_loop(code, transformed, failed):
            done = ipython_run_in_loop(code, transformed, failed, options)
        else:
            done = shell.run_cell(code, **options)
    finally:
        payloads.extend(map(to_json, shell.payload_manager.read_payload()))
        shell.payload_manager.clear_payload()
    if "matplotlib.pyplot" in sys.modules and not silent:
        show_figures()
    error = done.error_before_exec or done.error_in_exec
    if error is not None:
        raise error


def needs_loop(code, transformed, failed):
    if shell.should_run_async(code, transformed_cell=transformed, preprocessing_exc_tuple=failed):
        return True
    return "asyncio" in sys.modules and ("create_task" in code or "ensure_future" in code or "get_running_loop" in code)


def ipython_run_in_loop(code, transformed, failed, options):
    """Runs a cell on the loop of all cells, with what run_cell does around it."""
    done = None
    try:
        done = await_value(shell.run_cell_async(
            code, transformed_cell=transformed, preprocessing_exc_tuple=failed, **options))
    finally:
        shell.events.trigger("post_execute")
        if done is not None and not options["silent"]:
            shell.events.trigger("post_run_cell", done)
    return done


def ipython_describe(e):
    told, shell.told = shell.told, None
    if told is None:
        return plain_describe(e)
    try:
        value = str(e)
    except Exception:
        value = "<an error whose text cannot be made>"
    return '"ename":%s,"evalue":%s,"traceback":[%s]' % (quote(type(e).__name__), quote(value), ",".join(map(quote, told)))


def ipython_bundle(value):
    data, metadata = shell.display_formatter.format(value)
    return mime_json(data), to_json(metadata or {})


def ipython_complete(content):
    from IPython.core.completer import provisionalcompleter, rectify_completions
    code, cursor = content.get("code", ""), content.get("cursor_pos", 0)
    with provisionalcompleter():
        found = list(rectify_completions(code, shell.Completer.completions(code, cursor)))
    start, end = (found[0].start, found[0].end) if found else (cursor, cursor)
    kinds = [{"start": c.start, "end": c.end, "text": c.text, "type": c.type, "signature": c.signature} for c in found]
    return {"status": "ok", "matches": [c.text for c in found], "cursor_start": start, "cursor_end": end,
            "metadata": {"_jupyter_types_experimental": kinds}}


def ipython_inspect(content):
    from IPython.utils.tokenutil import token_at_cursor
    name = token_at_cursor(content.get("code", ""), content.get("cursor_pos", 0))
    try:
        data = shell.object_inspect_mime(name, detail_level=content.get("detail_level", 0))
    except KeyError:
        return {"status": "ok", "found": False, "data": {}, "metadata": {}}
    return {"status": "ok", "found": True, "data": data, "metadata": {}}


def ipython_is_complete(content):
    status, indent = shell.input_transformer_manager.check_complete(content.get("code", ""))
    reply = {"status": status}
    if status == "incomplete":
        reply["indent"] = " " * (indent or 0)
    return reply
