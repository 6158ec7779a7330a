package keymap

import "strings"

// Mode is what the keyboard is used for at the moment.
type Mode string

// The modes. A key that its mode does not bind is looked up in Everywhere.
const (
	Everywhere Mode = "everywhere"
	Command    Mode = "command"
	Prompt     Mode = "prompt"    // a line for input() is being typed
	Path       Mode = "path"      // the name of a file is being typed
	Text       Mode = "text"      // a file is shown that is no notebook
	Question   Mode = "question"  // the program waits for an answer
	Help       Mode = "help"      // the help page is open
	HelpLine   Mode = "help line" // what to find on it is being typed
	Find       Mode = "find"      // the search line is being typed
	List       Mode = "list"      // something is being chosen from a list
	Tree       Mode = "tree"      // the tree of files
	TreeLine   Mode = "tree line" // a name for it is being typed
)

// Binding ties key sequences to an action.
type Binding struct {
	Mode   Mode
	Group  string   // heading in the help page
	Keys   []string // sequences: key names separated by spaces, such as "g g"
	Action Action
	Help   string // a few words, in the imperative
}

// Table is a set of bindings. It does not change once built.
type Table struct {
	bindings []Binding
	exact    map[Mode]map[string]Action
	prefix   map[Mode]map[string]bool
}

// New builds a table. Of two bindings of one sequence in one mode the first counts.
func New(bindings []Binding) *Table {
	t := &Table{bindings: bindings, exact: map[Mode]map[string]Action{}, prefix: map[Mode]map[string]bool{}}
	for _, b := range bindings {
		if t.exact[b.Mode] == nil {
			t.exact[b.Mode], t.prefix[b.Mode] = map[string]Action{}, map[string]bool{}
		}
		for _, seq := range b.Keys {
			if _, taken := t.exact[b.Mode][seq]; !taken {
				t.exact[b.Mode][seq] = b.Action
			}
			if first, _, two := strings.Cut(seq, " "); two {
				t.prefix[b.Mode][first] = true
			}
		}
	}
	return t
}

// Bindings lists the table in the order of the help page. Callers may not change it.
func (t *Table) Bindings() []Binding { return t.bindings }

// lookup finds a whole sequence: the mode's own bindings come first.
func (t *Table) lookup(mode Mode, seq string) (Action, bool) {
	if a, ok := t.exact[mode][seq]; ok {
		return a, true
	}
	a, ok := t.exact[Everywhere][seq]
	return a, ok
}

func (t *Table) begins(mode Mode, key string) bool {
	return t.prefix[mode][key] || t.prefix[Everywhere][key]
}

// Resolver turns key presses into actions. It remembers the first key of a sequence.
// One goroutine owns it.
type Resolver struct {
	table   *Table
	pending string
}

// NewResolver returns a resolver that waits for a first key.
func NewResolver(t *Table) *Resolver { return &Resolver{table: t} }

// Pending is the first key of an open sequence, "" if none is open.
func (r *Resolver) Pending() string { return r.pending }

// Reset forgets an open sequence; call it when the mode changes.
func (r *Resolver) Reset() { r.pending = "" }

// Press takes one key and returns the actions that it completes: none for an unbound key
// and for the first key of a sequence. A second key that completes nothing acts by
// itself. An unbound alt+X is Escape and X: that is how a terminal sends the two when
// they come close together.
func (r *Resolver) Press(mode Mode, key string) []Action {
	if first := r.pending; first != "" {
		r.pending = ""
		if a, ok := r.table.lookup(mode, first+" "+key); ok {
			return []Action{a}
		}
		if key == "esc" {
			return nil // Escape gives up the sequence and nothing else
		}
	}
	if r.table.begins(mode, key) {
		r.pending = key
		return nil
	}
	if a, ok := r.table.lookup(mode, key); ok {
		return []Action{a}
	}
	if rest, isAlt := strings.CutPrefix(key, "alt+"); isAlt && rest != "" {
		return append(r.Press(mode, "esc"), r.Press(mode, rest)...)
	}
	return nil
}
