# Times E2B's own SDK: prints the median milliseconds of a round trip and of the lines.
import statistics
import time

from e2b_code_interpreter import Sandbox

box = Sandbox.create()
context = box.create_code_context()


def timed(code, times):
    took = []
    for _ in range(times):
        began = time.perf_counter()
        n = 0

        def count(message):
            nonlocal n
            n += 1

        box.run_code(code, context=context, on_stdout=count)
        took.append((time.perf_counter() - began) * 1000)
    return statistics.median(took)


print(timed("1", 50), timed("lines", 3))
