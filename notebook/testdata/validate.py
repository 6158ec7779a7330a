"""Judges notebooks with Jupyter's own nbformat: validate.py DIR. Every DIR/NAME.ipynb must
be valid; where DIR/NAME.before exists and is what nbformat itself would have written, or
does not exist (a new notebook), NAME.ipynb must be byte for byte what nbformat writes too."""
import pathlib
import sys
import warnings

import nbformat

warnings.simplefilter("error")


def own(text):
    out = nbformat.writes(nbformat.reads(text, as_version=nbformat.NO_CONVERT))
    return out if out.endswith("\n") else out + "\n"


bad = exact = 0
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.ipynb")):
    text = path.read_bytes().decode("utf-8-sig")
    try:
        nbformat.validate(nbformat.reads(text, as_version=nbformat.NO_CONVERT))
        before = path.with_suffix(".before")
        old = before.read_bytes().decode() if before.exists() else None
        if old is None or not old.startswith("\ufeff") and own(old) == old:
            exact += 1
            if own(text) != text:
                raise ValueError("nbformat writes this differently:\n" + own(text))
    except Exception as e:
        bad += 1
        print(path.name, type(e).__name__, e)
print("exact:", exact)
sys.exit(1 if bad else 0)
