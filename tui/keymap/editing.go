package keymap

// Edit is the mode in which keys are text of a cell.
const Edit Mode = "edit"

// The actions of edit mode. Undo, Redo and the ways to run are those of command mode.
const (
	EnterEdit      Action = "edit"
	LeaveEdit      Action = "leave"
	Format         Action = "format"
	ToggleNumbers  Action = "line numbers"
	ToggleWrap     Action = "wrap lines"
	NewLine        Action = "new line"
	Complete       Action = "complete or indent"
	Inspect        Action = "inspect or outdent"
	Backspace      Action = "delete back"
	DeleteForward  Action = "delete forward"
	DeleteWordBack Action = "delete word back"
	DeleteWord     Action = "delete word"
	DeleteToStart  Action = "delete to start"
	DeleteToEnd    Action = "delete to end"
	CutText        Action = "cut text"
	CopyText       Action = "copy text"
	PasteText      Action = "paste text"
	ToggleComment  Action = "comment"
	LinesUp        Action = "lines up"
	LinesDown      Action = "lines down"
	Duplicate      Action = "duplicate"
	Split          Action = "split"

	CursorLeft      Action = "cursor left"
	CursorRight     Action = "cursor right"
	CursorUp        Action = "cursor up"
	CursorDown      Action = "cursor down"
	CursorWordLeft  Action = "cursor word left"
	CursorWordRight Action = "cursor word right"
	CursorLineStart Action = "cursor line start"
	CursorLineEnd   Action = "cursor line end"
	CursorPageUp    Action = "cursor page up"
	CursorPageDown  Action = "cursor page down"
	CursorTextStart Action = "cursor text start"
	CursorTextEnd   Action = "cursor text end"

	SelectLeft      Action = "select left"
	SelectRight     Action = "select right"
	SelectUp        Action = "select up"
	SelectDown      Action = "select down"
	SelectWordLeft  Action = "select word left"
	SelectWordRight Action = "select word right"
	SelectLineStart Action = "select line start"
	SelectLineEnd   Action = "select line end"
	SelectPageUp    Action = "select page up"
	SelectPageDown  Action = "select page down"
	SelectTextStart Action = "select text start"
	SelectTextEnd   Action = "select text end"
)

// Action is what a single key does in a mode, or everywhere.
func (t *Table) Action(mode Mode, key string) (Action, bool) { return t.lookup(mode, key) }

// editing has no binding for a key that types a character: such keys are text.
func editing() []Binding {
	rows := group(Edit, "Edit mode",
		bind(LeaveEdit, "back to command mode", "esc", "ctrl+["),
		bind(RunNext, "run and go to the next cell", "shift+enter"),
		bind(RunStay, "run and stay", "ctrl+enter", "ctrl+j"),
		bind(RunInsert, "run and insert a cell below", "alt+enter"),
		bind(NewLine, "new line", "enter"),
		bind(Complete, "complete the word, else indent", "tab"),
		bind(Inspect, "what is this word? else outdent", "shift+tab"),
		bind(Undo, "undo", "ctrl+z"),
		bind(Redo, "redo", "ctrl+y", "ctrl+shift+z"),
		bind(CutText, "cut the selection or the line", "ctrl+x"),
		bind(CopyText, "copy the selection or the line", "alt+c"),
		bind(PasteText, "paste what was cut or copied here", "ctrl+v"),
		bind(Backspace, "delete the character before", "backspace", "ctrl+h", "shift+backspace"),
		bind(DeleteForward, "delete the character behind", "delete"),
		bind(DeleteWordBack, "delete the word before", "ctrl+w", "ctrl+backspace", "alt+backspace"),
		bind(DeleteWord, "delete the word behind", "ctrl+delete", "alt+delete"),
		bind(DeleteToStart, "delete to the line's start", "ctrl+u"),
		bind(DeleteToEnd, "delete to the line's end", "ctrl+k"),
		bind(ToggleComment, "comment or not", "ctrl+/", "ctrl+_"),
		bind(LinesUp, "move the lines up", "alt+up"),
		bind(LinesDown, "move the lines down", "alt+down"),
		bind(Duplicate, "duplicate the lines", "alt+shift+down"),
		bind(Split, "split the cell at the cursor", `ctrl+\`),
	)
	return append(append(rows, motions()...), selecting()...)
}

func motions() []Binding {
	return group(Edit, "Moving the cursor",
		bind(CursorLeft, "character left, past the edge to the cell above", "left"),
		bind(CursorRight, "character right, past the edge to the cell below", "right"),
		bind(CursorUp, "line up, past the edge to the cell above", "up"),
		bind(CursorDown, "line down, past the edge to the cell below", "down"),
		bind(CursorWordLeft, "word left", "ctrl+left", "alt+left"),
		bind(CursorWordRight, "word right", "ctrl+right", "alt+right"),
		bind(CursorLineStart, "start of the line", "home", "ctrl+a"),
		bind(CursorLineEnd, "end of the line", "end", "ctrl+e"),
		bind(CursorPageUp, "page up", "pgup"),
		bind(CursorPageDown, "page down", "pgdown"),
		bind(CursorTextStart, "start of the cell", "ctrl+home"),
		bind(CursorTextEnd, "end of the cell", "ctrl+end"),
	)
}

func selecting() []Binding {
	return group(Edit, "Selecting text",
		bind(SelectLeft, "select a character left", "shift+left"),
		bind(SelectRight, "select a character right", "shift+right"),
		bind(SelectUp, "select a line up", "shift+up"),
		bind(SelectDown, "select a line down", "shift+down"),
		bind(SelectWordLeft, "select a word left", "ctrl+shift+left", "alt+shift+left"),
		bind(SelectWordRight, "select a word right", "ctrl+shift+right", "alt+shift+right"),
		bind(SelectLineStart, "select to the start of the line", "shift+home"),
		bind(SelectLineEnd, "select to the end of the line", "shift+end"),
		bind(SelectPageUp, "select a page up", "shift+pgup"),
		bind(SelectPageDown, "select a page down", "shift+pgdown"),
		bind(SelectTextStart, "select to the start of the cell", "ctrl+shift+home"),
		bind(SelectTextEnd, "select to the end of the cell", "ctrl+shift+end"),
	)
}

// editingCells are the keys of command mode that are about editing.
func editingCells() []Binding {
	return group(Command, "Editing",
		bind(EnterEdit, "edit", "enter"),
		bind(EditExternal, "edit in $EDITOR", "e"),
		bind(Format, "format the code with ruff, black or another formatter", "F"),
		bind(ToggleNumbers, "line numbers", "l"),
		bind(ToggleWrap, "wrap long lines or scroll them", "w"),
	)
}

// The modes around edit mode.
const (
	Completing Mode = "completions" // their list is open; other keys are those of Edit
	Pane       Mode = "pane"        // a text of the kernel is shown
	PaneLine   Mode = "pane line"   // what to search for in it is being typed
)

// The actions of the list of completions and of the pane.
const (
	CompletionAccept Action = "completion accept"
	CompletionDown   Action = "completion down"
	CompletionUp     Action = "completion up"
	CompletionNext   Action = "completion page down"
	CompletionBack   Action = "completion page up"
	CompletionClose  Action = "completion close"
	PaneDown         Action = "pane down"
	PaneUp           Action = "pane up"
	PanePageDown     Action = "pane page down"
	PanePageUp       Action = "pane page up"
	PaneTop          Action = "pane top"
	PaneBottom       Action = "pane bottom"
	PaneFind         Action = "pane find"
	PaneNext         Action = "pane find next"
	PanePrevious     Action = "pane find previous"
	PaneClose        Action = "pane close"
	PaneFound        Action = "pane find keep"
	PaneForget       Action = "pane find forget"
)

// Own is what a single key does in a mode itself.
func (t *Table) Own(mode Mode, key string) (Action, bool) {
	a, ok := t.exact[mode][key]
	return a, ok
}

func completing() []Binding {
	return group(Completing, "Completions",
		bind(CompletionAccept, "take the marked one", "enter", "tab"),
		bind(CompletionDown, "next", "down", "ctrl+n"),
		bind(CompletionUp, "previous", "up", "ctrl+p", "shift+tab"),
		bind(CompletionNext, "some down", "pgdown"),
		bind(CompletionBack, "some up", "pgup"),
		bind(CompletionClose, "close", "esc"),
	)
}

func panes() []Binding {
	rows := group(Pane, "The pane",
		bind(PaneDown, "scroll down", "j", "down"),
		bind(PaneUp, "scroll up", "k", "up"),
		bind(PanePageDown, "a page down", "pgdown", "space"),
		bind(PanePageUp, "a page up", "pgup", "shift+space"),
		bind(PaneTop, "to the start", "g", "home"),
		bind(PaneBottom, "to the end", "G", "end"),
		bind(PaneFind, "find", "/"),
		bind(PaneNext, "next line that has it", "n"),
		bind(PanePrevious, "previous line that has it", "N"),
		bind(PaneClose, "close", "q", "esc", "shift+tab"),
	)
	return append(rows, group(PaneLine, "Finding in the pane",
		bind(PaneFound, "back to the text", "enter"),
		bind(PaneForget, "forget it", "esc"),
	)...)
}
