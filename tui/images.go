package tui

import (
	"context"
	"runtime/debug"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/render"
)

// imagesEnv says how pictures are drawn: "kitty", "blocks" or "off"; with "auto" and
// anything else the terminal is asked.
const imagesEnv = "NBTERM_IMAGES"

// kittyQuery asks for the Kitty graphics protocol by a picture of one pixel that is not kept.
const (
	kittyQuery   = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"
	kittyQueryID = 31
)

// paintedMsg says that pictures were decoded.
type paintedMsg struct{ work []*render.Painting }

func (m *Model) openPictures() {
	m.pictures.Kitty = m.opt.getenv(imagesEnv) == "kitty"
	m.pictures.Off = m.opt.getenv(imagesEnv) == "off" || m.opt.Profile != nil && *m.opt.Profile < colorprofile.ANSI
}

// askKitty asks terminals that are known to draw placeholders whether they do. Others are
// not asked: some know the protocol and not the placeholders, and some print the question.
func (m *Model) askKitty() tea.Cmd {
	switch m.opt.getenv(imagesEnv) {
	case "kitty", "blocks", "off":
		return nil
	}
	name := m.opt.getenv("TERM") + " " + m.opt.getenv("TERM_PROGRAM")
	if !strings.Contains(name, "kitty") && !strings.Contains(name, "ghostty") &&
		m.opt.getenv("KITTY_WINDOW_ID") == "" && m.opt.getenv("GHOSTTY_RESOURCES_DIR") == "" {
		return nil
	}
	return tea.Raw(m.toTerminal(kittyQuery))
}

// toTerminal wraps a sequence so that tmux passes it on.
func (m *Model) toTerminal(sequence string) string {
	if m.opt.getenv("TMUX") != "" {
		return ansi.TmuxPassthrough(sequence)
	}
	return sequence
}

// kittyAnswered draws pictures by the protocol from here on.
func (m *Model) kittyAnswered(e uv.KittyGraphicsEvent) {
	few := m.opt.Profile != nil && *m.opt.Profile < colorprofile.ANSI256
	if e.Options.ID != kittyQueryID || string(e.Payload) != "OK" || m.pictures.Kitty || few {
		return
	}
	m.pictures.Kitty = true
	m.forgetDrawn()
}

// forgetDrawn draws all outputs afresh.
func (m *Model) forgetDrawn() {
	for _, c := range m.cells {
		c.outputs, c.decoded = nil, false
		c.forgetProse()
		c.touch()
	}
	for i := range m.cells {
		m.list.Changed(i)
	}
	m.dirty = true
}

// worthFreeing is how much memory decoding must have taken that what is free now is given
// back at once: beside a large notebook the next collection may be far.
const worthFreeing = 8 << 20

// paint decodes the pictures that the screen shows and has not yet, away from the event
// loop and one after the other. It makes the frame that is due anyway to learn which they are.
func (m *Model) paint() tea.Cmd {
	if m.painting || m.pictures.Off {
		return nil
	}
	m.View()
	work := m.pictures.Take()
	if len(work) == 0 {
		return nil
	}
	m.painting = true
	return m.doFree(func(ctx context.Context) tea.Msg {
		memory := 0
		for _, w := range work {
			if ctx.Err() != nil {
				break
			}
			w.Do()
			memory += w.Memory()
		}
		if memory > worthFreeing {
			debug.FreeOSMemory()
		}
		return paintedMsg{work}
	})
}

// painted gives the terminal what it is to draw itself, and shows the pictures after that.
func (m *Model) painted(msg paintedMsg) tea.Cmd {
	sequences := m.pictures.Send(msg.work)
	if len(sequences) == 0 {
		m.show(msg.work)
		return nil
	}
	var all strings.Builder
	for _, s := range sequences {
		all.WriteString(m.toTerminal(s))
	}
	m.pending++
	return tea.Sequence(tea.Raw(all.String()), func() tea.Msg { return doneMsg{sentMsg(msg)} })
}

// sentMsg says that the terminal has the pictures.
type sentMsg struct{ work []*render.Painting }

// show shows what was decoded.
func (m *Model) show(work []*render.Painting) {
	m.painting, m.dirty = false, true
	for _, w := range work {
		if w.Done() { // it cannot be decoded, which takes fewer lines
			m.measureDrawn()
		}
	}
}

// forgetProse draws Markdown afresh: there may be pictures in it.
func (v *cellView) forgetProse() {
	if v.cell.Type == notebook.Markdown {
		v.source = nil
	}
}

// besidePicture is how many rows of the screen are left for other things than a picture:
// its name, the status bar and some of its surroundings.
const besidePicture = 4

// givePicturesRoom lets a picture be as high as the screen has room for.
func (m *Model) givePicturesRoom() {
	if rows := max(m.height-besidePicture, 4); rows != m.pictures.Rows {
		m.pictures.Rows = rows
		m.measureDrawn()
	}
}

// measureDrawn measures the cells that were drawn afresh.
func (m *Model) measureDrawn() {
	for i, c := range m.cells {
		if c.decoded || c.cell.Type == notebook.Markdown {
			c.touch()
			m.list.Changed(i)
		}
	}
}

// profiled learns how many colours the terminal has: without any, pictures are only named,
// and with 16 the numbers of those that the terminal draws do not survive.
func (m *Model) profiled(p colorprofile.Profile) {
	if p == colorprofile.ANSI && !m.sixteen {
		m.sixteen = true
		m.setTheme(m.look.theme)
	}
	if p < colorprofile.ANSI256 && m.pictures.Kitty {
		m.pictures.Kitty = false
		m.forgetDrawn()
	}
	if p >= colorprofile.ANSI || m.pictures.Off {
		return
	}
	m.pictures.Off = true
	m.forgetDrawn()
}
