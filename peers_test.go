//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/nbterm/nbterm/kernelclient/hosttest"
)

// TestPeerNbclient runs notebooks with nbclient and with nbterm: the outputs must agree.
func TestPeerNbclient(t *testing.T) {
	if os.Getenv("NBTERM_TEST_PEER") != "nbclient" {
		t.Skip("make test-peers GROUP=nbclient sets up its peer")
	}
	python := hosttest.Python(t)
	tour, err := filepath.Abs("testdata/tour.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	for name, nb := range map[string]string{
		"tour": tour,
		"outputs": code(t,
			"import sys\nprint('a', flush=True); print('b', file=sys.stderr, flush=True); print('c', flush=True)",
			"from IPython.display import display, update_display, clear_output\ndisplay('before', display_id='k')",
			"update_display('after', display_id='k')",
			"for i in range(5):\n    clear_output(wait=True)\n    print('tick', i, flush=True)",
			"class H:\n    def _repr_html_(self): return '<b>h</b>\\n<i>i</i>'\n    def __repr__(self): return 'plain'\n    def _repr_json_(self): return {'a': [1, None]}\nH()",
			"print('half', end='')\n{'x': 1}", "x = 1", "'last\\nlines'"),
		"error": code(t, "print('first')", "1/0", "print('never')"),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			theirs, ours := filepath.Join(dir, "theirs.ipynb"), filepath.Join(dir, "ours.ipynb")
			peer := exec.Command(python, "-m", "jupyter", "execute", "--output="+theirs, "--allow-errors", nb)
			peer.Env = append(os.Environ(), "PATH="+filepath.Dir(python)+":"+os.Getenv("PATH"))
			if out, err := peer.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			cmd := nbterm(t, "run", "--allow-errors", "--out", ours, nb)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if a, b := ran(t, theirs), ran(t, ours); a != b {
				t.Errorf("nbclient:\n%s\nnbterm:\n%s", a, b)
			}
		})
	}
}

// ran is what a run left in a notebook, without what differs from run to run.
func ran(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var nb struct {
		Cells []struct {
			Count   any              `json:"execution_count"`
			Outputs []map[string]any `json:"outputs"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(data, &nb); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, c := range nb.Cells {
		line, err := json.Marshal([]any{c.Count, joined(c.Outputs)})
		if err != nil {
			t.Fatal(err)
		}
		out.Write(line)
		out.WriteByte('\n')
	}
	return out.String()
}

// joined joins neighbouring pieces of one stream: nbclient keeps them as they came.
func joined(outputs []map[string]any) (out []map[string]any) {
	for _, o := range outputs {
		text, ok := o["text"].([]any)
		if !ok {
			out = append(out, o)
			continue
		}
		all := ""
		for _, line := range text {
			all += line.(string)
		}
		if n := len(out) - 1; n >= 0 && out[n]["name"] == o["name"] && o["name"] != nil {
			out[n]["text"] = out[n]["text"].(string) + all
			continue
		}
		o["text"] = all
		out = append(out, o)
	}
	return out
}
