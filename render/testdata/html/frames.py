# Writes the HTML that pandas makes: python frames.py FOLDER.
import sys, pandas as pd, numpy as np
out = sys.argv[1]
def put(name, obj):
    open(f"{out}/{name}.html", "w").write(obj._repr_html_())
put("frame", pd.DataFrame({"city": ["Zürich", "東京", "São Paulo"], "people": [434008, 13960000, 12325232], "area": [87.88, 2194.07, np.nan], "open": [True, False, True],
    "note": ["<b>bold & more</b>", "a very long remark that no column should ever show in its whole length, as it would push all others out", ""]}))
idx = pd.MultiIndex.from_product([["north", "south"], [2024, 2025]], names=["region", "year"])
cols = pd.MultiIndex.from_product([["rain", "sun"], ["min", "max"]], names=["what", "of"])
put("multi", pd.DataFrame(np.arange(16).reshape(4, 4) * 1.5, index=idx, columns=cols))
rng = np.random.default_rng(1)
big = pd.DataFrame(rng.normal(size=(1000, 21)).round(4), columns=[f"column_{i}" for i in range(21)])
put("cut", big)
put("series", pd.DataFrame({"when": pd.date_range("2024-01-30", periods=3), "v": [1, None, 3]}).set_index("when"))
put("empty", pd.DataFrame({"a": [], "b": []}))
