"""Reads and writes each file with nbformat and prints the seconds of both together."""
import io, sys, time
import nbformat

for path in sys.argv[1:]:
    began = time.perf_counter()
    nb = nbformat.read(path, 4)
    nbformat.write(nb, io.StringIO())
    print(time.perf_counter() - began)
