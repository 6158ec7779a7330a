"""A blocking jupyter_client that only counts: flood.py CODE prints seconds of the run and lines received; with --rtt the median milliseconds of 200 times 1+1."""
import statistics, sys, time
from jupyter_client.manager import start_new_kernel

km, kc = start_new_kernel(kernel_name="python3")
try:
    if sys.argv[1] == "--rtt":
        times = []
        for _ in range(200):
            began = time.perf_counter()
            kc.execute_interactive("1+1", output_hook=lambda m: None)
            times.append(time.perf_counter() - began)
        print(statistics.median(times) * 1000)
    else:
        lines = 0

        def count(m):
            global lines
            if m["msg_type"] == "stream":
                lines += m["content"]["text"].count("\n")

        began = time.perf_counter()
        kc.execute_interactive(sys.argv[1], output_hook=count)
        print(time.perf_counter() - began, lines)
finally:
    kc.stop_channels()
    km.shutdown_kernel(now=True)
