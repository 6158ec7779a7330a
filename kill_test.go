//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/diskfile"
)

// lostAtMost is how much typing a kill may cost.
const lostAtMost = 5 * time.Second

// TestKilled kills the program while somebody edits and saves. Each time the file is a
// whole old or new version, and it or the copy that is offered lacks no more than five
// seconds of typing. NBTERM_KILLS says how often (10),
// NBTERM_SEED repeats a run; -parallel lets more than two at once.
func TestKilled(t *testing.T) {
	t.Parallel()
	kills, seed := 10, uint64(time.Now().UnixNano())
	if n, err := strconv.Atoi(os.Getenv("NBTERM_KILLS")); err == nil {
		kills = n
	}
	if n, err := strconv.ParseUint(os.Getenv("NBTERM_SEED"), 10, 64); err == nil {
		seed = n
	}
	for worker := range 10 {
		t.Run(fmt.Sprint(worker), func(t *testing.T) {
			t.Parallel()
			v := newVictim(t, rand.New(rand.NewPCG(seed, uint64(worker))))
			for round := range (kills + 9 - worker) / 10 {
				v.round(worker%5 == 0)
				if t.Failed() {
					t.Fatalf("in round %d; NBTERM_SEED=%d", round, seed)
				}
			}
		})
	}
}

// victim is a notebook to which cells are added at the end: headings of random levels, so
// that their order shows. A state of it is a string of levels.
type victim struct {
	t          *testing.T
	rand       *rand.Rand
	home, path string
	typed      string // the state on the screen
	seen       []time.Time
	saved      string // the state of the file as far as it is known
	saving     string // the state that a save began with whose end was not seen, "" for none
}

func newVictim(t *testing.T, r *rand.Rand) *victim {
	v := &victim{t: t, rand: r, home: t.TempDir(), path: filepath.Join(t.TempDir(), "n.ipynb"), typed: "1", saved: "1"}
	put(t, v.path, `{"cells":[{"cell_type":"markdown","id":"first","metadata":{},"source":["# "]}],"metadata":{},"nbformat":4,"nbformat_minor":5}`)
	return v
}

// state reads a notebook file as a string of levels.
func (v *victim) state(path string) string {
	v.t.Helper()
	doc, err := notebook.Parse([]byte(get(v.t, path)))
	if err != nil {
		v.t.Fatalf("%s is no whole notebook: %v", path, err)
	}
	var b strings.Builder
	for _, c := range doc.Cells() {
		fmt.Fprint(&b, strings.Count(c.Source, "#")) // 0 is a cell that was just inserted
	}
	return b.String()
}

// upTo is a random time.
func (v *victim) upTo(limit time.Duration) time.Duration {
	return time.Duration(v.rand.Int64N(int64(limit)))
}

// round starts the program, edits for a while, kills it and looks at what there is. A
// long one saves nothing and goes on for more than what may be lost.
func (v *victim) round(long bool) {
	x := openIn(v.t, v.home, v.path)
	v.begin(x)
	last := v.upTo(time.Second)
	switch {
	case long:
		last = lostAtMost + time.Second/2 + v.upTo(2*time.Second)
	case v.rand.IntN(2) == 0:
		last = v.upTo(5 * time.Second)
	}
	for until := time.Now().Add(last); time.Now().Before(until); {
		v.edit(x)
		if !long && v.rand.IntN(40) == 0 {
			v.save(x, true)
		}
	}
	if !long && v.rand.IntN(2) == 0 {
		v.save(x, false)
		<-time.After(v.upTo(20 * time.Millisecond))
	} else if v.rand.IntN(2) == 0 {
		x.keys("b3z")
	}
	killed := time.Now()
	_ = x.cmd.Process.Kill()
	x.exit()
	v.check(killed)
}

var position = regexp.MustCompile(`(\d+)/(\d+) *$`)

// cells waits until the screen shows a notebook of n cells with the last one selected.
func (v *victim) cells(x *terminal, n int) {
	v.t.Helper()
	x.wait(fmt.Sprint(n, " cells"), func(screen string) bool {
		m := position.FindStringSubmatch(strings.TrimRight(screen, "\n"))
		return m != nil && m[1] == m[2] && m[2] == fmt.Sprint(n)
	})
}

// begin opens the file: what is offered is restored, and from then on is what was typed.
func (v *victim) begin(x *terminal) {
	v.t.Helper()
	v.typed = v.state(v.path)
	for i, l := range v.offered() {
		if i == 0 {
			v.typed = v.state(l.Copy)
		}
		x.see("unsaved changes of n.ipynb", "r restore")
		if x.keys("r"); i > 0 {
			v.t.Fatalf("two copies: %v", l)
		}
		x.gone("r restore")
	}
	x.keys("G")
	v.cells(x, len(v.typed))
	v.seen = make([]time.Time, len(v.typed))
}

// offered lists the copies that the next program must offer: those that differ from the file.
func (v *victim) offered() []diskfile.Lost {
	v.t.Helper()
	all, err := diskfile.Copies(filepath.Join(v.home, ".local/state/nbterm"), v.path)
	if err != nil {
		v.t.Fatal(err)
	}
	var out []diskfile.Lost
	for _, l := range all {
		if get(v.t, l.Copy) != get(v.t, v.path) {
			out = append(out, l)
		}
	}
	return out
}

// edit adds a heading, in one of the ways that end alike.
func (v *victim) edit(x *terminal) {
	v.t.Helper()
	level := fmt.Sprint(1 + v.rand.IntN(6))
	typed := "b\r" + strings.Repeat("#", int(level[0]-'0')) + "\x1b[27um" // in edit mode
	x.keys([]string{typed, "b" + level, "b" + level + "y" + level, "bddz" + level, "b" + level + "cvz"}[v.rand.IntN(5)])
	v.typed += level
	v.cells(x, len(v.typed))
	v.seen = append(v.seen, time.Now())
	<-time.After(v.upTo(60 * time.Millisecond))
}

func (v *victim) save(x *terminal, wait bool) {
	v.t.Helper()
	v.saving = v.typed
	x.keys("s")
	if wait {
		x.gone("●")
		v.saved, v.saving = v.typed, ""
	}
}

// check looks at what a kill left.
func (v *victim) check(killed time.Time) {
	v.t.Helper()
	file := v.state(v.path)
	if file != v.saved && (v.saving == "" || file != v.saving) {
		v.t.Errorf("the file is %s, neither the old %s nor the new %s", file, v.saved, v.saving)
	}
	v.saved, v.saving = file, ""
	have := file
	if copies := v.offered(); len(copies) > 0 {
		have = v.state(copies[0].Copy)
	}
	due := 0
	for _, at := range v.seen {
		if killed.Sub(at) > lostAtMost {
			due++
		}
	}
	// The last cell may be one that was just inserted or taken away again.
	if body := have[:len(have)-1]; len(have) < due || !strings.HasPrefix(v.typed, body) {
		v.t.Errorf("what is left is %s\nof %s,\nthe first %d cells are older than %v", have, v.typed, due, lostAtMost)
	}
}
