package tui

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/notebook/diskfile"
	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/tui/formatter"
)

// formatted is what became of one cell's source.
type formatted struct {
	key      notebook.CellKey
	old, now string
	err      error
}

// formattedMsg is the result of formatting cells.
type formattedMsg struct {
	by    string
	cells []formatted
	err   error // no formatter was found
}

// format lets a formatter of the user's have the selected cells' code.
func (m *Model) format() tea.Cmd {
	if why := m.doc.ReadOnly(); why != "" {
		m.say(failure, "the notebook is read-only: "+why)
		return nil
	}
	var cells []formatted
	for _, c := range m.chosen() {
		if c.cell.Type == notebook.Code && strings.TrimSpace(c.cell.Source) != "" {
			cells = append(cells, formatted{key: c.key, old: c.cell.Source})
		}
	}
	if len(cells) == 0 {
		m.setHint("only code can be formatted")
		return nil
	}
	language, dir, folders, env := m.look.language, m.folder(), m.programFolders(), m.opt.Env
	m.setHint("formatting…")
	return m.do(func(ctx context.Context) tea.Msg {
		f, err := formatter.Find(language, dir, folders, env)
		if err != nil {
			return formattedMsg{err: err}
		}
		for i := range cells {
			cells[i].now, cells[i].err = f.Format(ctx, cells[i].old)
		}
		return formattedMsg{by: f.Name, cells: cells}
	})
}

// folder is the notebook's folder.
func (m *Model) folder() string {
	if m.file == nil || diskfile.IsRemote(m.file.Path) {
		return ""
	}
	dir, err := filepath.Abs(filepath.Dir(m.file.Path))
	if err != nil {
		return ""
	}
	return dir
}

// programFolders are where the programs of the notebook's environment are: the kernel's,
// before it was started those of the surroundings.
func (m *Model) programFolders() []string {
	var all []string
	if k, _ := m.session.Kernel(); filepath.IsAbs(k.Found) {
		prefix, _, _ := strings.Cut(filepath.ToSlash(k.Found), "/share/jupyter/kernels/")
		all = append(all, formatter.Programs(filepath.FromSlash(prefix)))
	}
	for dir := m.folder(); dir != ""; dir = filepath.Dir(dir) {
		all = append(all, formatter.Programs(filepath.Join(dir, ".venv")), formatter.Programs(filepath.Join(dir, "venv")))
		if dir == filepath.Dir(dir) {
			break
		}
	}
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if prefix := m.opt.getenv(name); filepath.IsAbs(prefix) {
			all = append(all, formatter.Programs(prefix))
		}
	}
	return all
}

// formatted takes over what the formatter made, as one step, of cells that nobody changed
// meanwhile.
func (m *Model) formatted(msg formattedMsg) {
	if msg.err != nil {
		m.setHint("")
		m.fail(msg.err)
		return
	}
	var ops []notebook.Op
	var late, same, magics int
	pens := map[*cellView]int{}
	for _, f := range msg.cells {
		c := m.doc.Cell(f.key)
		switch {
		case c == nil || c.Source != f.old || c.Type != notebook.Code:
			late++
		case errors.Is(f.err, formatter.ErrMagics):
			magics++
		case f.err != nil:
			m.say(failure, "the cell stays as it is: "+render.Sanitize(f.err.Error()))
		case f.now == f.old:
			same++
		default:
			ops = append(ops, notebook.SetSource{Key: f.key, Source: f.now})
			v := m.byKey[f.key]
			pens[v] = formatter.Moved(f.old, f.now, v.penOffset())
		}
	}
	if len(ops) > 0 && !m.change("format "+cells(len(ops)), ops...) {
		return
	}
	for v, at := range pens {
		v.setPenOffset(at)
	}
	m.penMoved()
	m.sayFormatted(msg.by, len(ops), late, same, magics)
}

// sayFormatted tells what was done.
func (m *Model) sayFormatted(by string, done, late, same, magics int) {
	var parts []string
	if done > 0 {
		parts = append(parts, by+" formatted "+cells(done))
	}
	if same > 0 {
		parts = append(parts, cells(same)+" already as "+by+" has it")
	}
	if late > 0 {
		parts = append(parts, cells(late)+" edited meanwhile, and left alone")
	}
	if magics > 0 {
		parts = append(parts, cells(magics)+" left alone: "+formatter.ErrMagics.Error())
	}
	m.setHint(strings.Join(parts, "; "))
}
