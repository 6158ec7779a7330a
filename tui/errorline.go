package tui

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/session"
	"github.com/nbterm/nbterm/render/ansi"
)

// frame is a place in a traceback that lies in a cell.
type frame struct {
	count int    // the execution count of the run, as in In[3]
	line  int    // from 1
	code  string // what stands there, "" if the traceback does not show it
}

var (
	// frameHead is how IPython names a cell, today's and that of years ago.
	frameHead = regexp.MustCompile(`(?:Cell In|Input In|<ipython-input-) ?\[?(\d+)`)
	frameLine = regexp.MustCompile(`line:? (\d+)`)
	frameMark = regexp.MustCompile(`^-+> ?(\d+)\s?(.*)`)
	otherHead = regexp.MustCompile(`^\s*(?:File|[~/]\S*|<[^>]*>)[ :].*\bline \d+|^File .+:\d+`)
)

// frames reads the places in cells that a traceback names, outermost first.
func frames(traceback string) (all []frame) {
	open := false // the last frame's lines are being read
	for line := range strings.SplitSeq(ansi.Strip(traceback), "\n") {
		if head := frameHead.FindStringSubmatch(line); head != nil {
			f := frame{}
			f.count, _ = strconv.Atoi(head[1]) // digits; too many are a count that no cell has
			if at := frameLine.FindStringSubmatch(line); at != nil {
				f.line, _ = strconv.Atoi(at[1])
			}
			all, open = append(all, f), true
			continue
		}
		if otherHead.MatchString(line) {
			open = false
		}
		if !open {
			continue
		}
		f := &all[len(all)-1]
		if mark := frameMark.FindStringSubmatch(line); mark != nil {
			f.line, _ = strconv.Atoi(mark[1])
			f.code, open = strings.TrimSpace(mark[2]), false
		} else if f.code == "" && f.line > 0 && strings.HasPrefix(line, "    ") {
			f.code = strings.TrimSpace(line) // of a syntax error
		}
	}
	return all
}

// errorPlace is a cell and a line of it, from 0.
type errorPlace struct {
	cell *cellView
	line int
}

// errorPlaces returns where an error of a cell came from: its own line, and the line of
// another cell where that called what failed.
func (m *Model) errorPlaces(c *cellView) (own, deeper *errorPlace) {
	c.decode()
	for _, o := range c.shown() {
		b := c.bodies[identity(o)]
		if h, held := b.(*mime.Held); held {
			if _, failed := h.Bare().(*mime.Error); !failed {
				continue // nothing to read back
			}
			b = o.Decode()
		}
		e, ok := b.(*mime.Error)
		if !ok {
			continue
		}
		for _, f := range frames(strings.Join(e.Traceback, "\n")) {
			if f.line < 1 {
				continue
			}
			if f.count == c.cell.Count {
				own, deeper = &errorPlace{c, lineOf(c.cell.Source, f)}, nil
			} else if other := m.cellOfRun(f.count); other != nil && own != nil {
				deeper = &errorPlace{other, lineOf(other.cell.Source, f)}
			}
		}
	}
	return own, deeper
}

// cellOfRun is the cell with an execution count.
func (m *Model) cellOfRun(count int) *cellView {
	for _, c := range m.cells {
		if c.cell.Count == count && count > 0 {
			return c
		}
	}
	return nil
}

// lineOf is the line of a source, from 0, that a frame means. IPython counts from the
// first line that is not blank.
func lineOf(source string, f frame) int {
	lines := strings.Split(source, "\n")
	blank := 0
	for blank < len(lines)-1 && strings.TrimSpace(lines[blank]) == "" {
		blank++
	}
	line := min(f.line, len(lines)) - 1
	shifted := line + blank
	if f.code != "" && shifted < len(lines) && !strings.Contains(lines[line], f.code) && strings.Contains(lines[shifted], f.code) {
		return shifted
	}
	return line
}

// errorItems offer the lines that the selected cell's error names, or that of the first
// cell that failed.
func (m *Model) errorItems() []item {
	c := m.cell()
	if c == nil {
		return nil
	}
	own, deeper := m.errorPlaces(c)
	for i := 0; own == nil && i < len(m.cells); i++ {
		if m.cells[i].status.Phase == session.Failed {
			own, deeper = m.errorPlaces(m.cells[i])
		}
	}
	var out []item
	if own != nil {
		out = append(out, m.errorItem("go to the error's line", own))
	}
	if deeper != nil {
		out = append(out, m.errorItem("go to where the error began", deeper))
	}
	return out
}

func (m *Model) errorItem(name string, p *errorPlace) item {
	return item{
		name: name, detail: "Outputs", right: fmt.Sprintf("[%d] line %d", p.cell.cell.Count, p.line+1),
		do: func() tea.Cmd {
			m.goToLine(m.doc.Index(p.cell.key), p.line)
			return nil
		},
	}
}
