package main

import (
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/nbterm/nbterm/render"
)

const (
	barFrom  = 1_000_000 // bytes: what is smaller is copied before anybody could look
	barEvery = 100 * time.Millisecond
	barWidth = 30
)

// progress draws how far a transfer is, on a terminal only.
type progress struct {
	out   *os.File // nil: nobody looks
	began time.Time
	last  time.Time
	drawn bool
}

func newProgress(out *os.File) *progress {
	if !term.IsTerminal(out.Fd()) {
		return &progress{}
	}
	return &progress{out: out}
}

// show draws the state of one file; size is -1 where it is not known.
func (p *progress) show(file string, done, size int64) {
	now := time.Now()
	if done == 0 {
		p.began = now
	}
	if p.out == nil || max(size, done) < barFrom || now.Sub(p.last) < barEvery && done != size {
		return
	}
	p.last, p.drawn = now, true
	fmt.Fprint(p.out, "\r"+progressLine(render.Sanitize(path.Base(file)), done, size, now.Sub(p.began))+"\x1b[K")
}

// clear takes the bar away.
func (p *progress) clear() {
	if p.drawn {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.drawn = false
	}
}

func progressLine(name string, done, size int64, took time.Duration) string {
	if r := []rune(name); len(r) > 20 {
		name = string(r[:19]) + "…"
	}
	speed := ""
	if s := took.Seconds(); s > 0.2 {
		speed = fmt.Sprintf(" %.1f MB/s", float64(done)/s/1e6)
	}
	if size <= 0 {
		return fmt.Sprintf("%s %.1f MB%s", name, float64(done)/1e6, speed)
	}
	part := min(float64(done)/float64(size), 1)
	full := int(part * barWidth)
	return fmt.Sprintf("%s [%s%s] %3.0f%% of %.1f MB%s", name, strings.Repeat("#", full), strings.Repeat("-", barWidth-full), part*100, float64(size)/1e6, speed)
}
