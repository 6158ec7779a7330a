package keymap

// Default is nbterm's table. Letters are JupyterLab's where Lab has one.
func Default() *Table {
	var all []Binding
	for _, part := range [][]Binding{everywhere(), running(), moving(), cells(), editingCells(), editing(), completing(), panes(), outputs(), finding(), findLine(), list(), treeKeys(), prompt(), path(), text(), question(), help()} {
		all = append(all, part...)
	}
	return New(all)
}

// group makes the bindings of one heading.
func group(mode Mode, name string, rows ...Binding) []Binding {
	for i := range rows {
		rows[i].Mode, rows[i].Group = mode, name
	}
	return rows
}

func bind(a Action, help string, keys ...string) Binding {
	return Binding{Action: a, Help: help, Keys: keys}
}

func everywhere() []Binding {
	return group(Everywhere, "Everywhere",
		bind(Save, "save", "ctrl+s"),
		bind(Quit, "quit", "ctrl+q"),
		bind(Interrupt, "interrupt what runs", "ctrl+c"),
		bind(ToggleTree, "tree of files, or none", "ctrl+b"),
		bind(OpenFind, "find and replace", "ctrl+f"),
		bind(OpenPalette, "palette of all actions", "ctrl+p"),
		bind(Repaint, "repaint the screen", "ctrl+l"),
		bind(OpenHelp, "help", "f1"),
		bind(ToggleMouse, "mouse on or off", "f2"),
		bind(Dismiss, "dismiss a message", "esc"),
	)
}

func running() []Binding {
	return group(Command, "Running",
		bind(RunNext, "run and go to the next cell", "shift+enter", "ctrl+r"),
		bind(RunStay, "run and stay", "ctrl+enter", "ctrl+j", "ctrl+e"),
		bind(RunInsert, "run and insert a cell below", "alt+enter"),
		bind(RunAll, "run all cells", "R"),
		bind(RunAbove, "run the cells above", "<"),
		bind(RunBelow, "run from here down", ">"),
		bind(InterruptKey, "interrupt", "i i"),
		bind(Restart, "restart the kernel", "0 0"),
		bind(RestartRunAll, "restart and run all", "0 R"),
		bind(OpenKernels, "choose the kernel", "ctrl+k"),
	)
}

func moving() []Binding {
	return group(Command, "Moving",
		bind(Next, "next cell", "j", "down"),
		bind(Previous, "previous cell", "k", "up"),
		bind(First, "first cell", "g g", "home"),
		bind(Last, "last cell", "G", "end"),
		bind(PageDown, "scroll a page down", "pgdown", "space"),
		bind(PageUp, "scroll a page up", "pgup", "shift+space"),
		bind(LineDown, "scroll a line down", "]"),
		bind(LineUp, "scroll a line up", "["),
		bind(ExtendDown, "extend the selection down", "J", "shift+down"),
		bind(ExtendUp, "extend the selection up", "K", "shift+up"),
		bind(SelectAll, "select all cells", "ctrl+a"),
	)
}

func cells() []Binding {
	return group(Command, "Cells",
		bind(InsertAbove, "insert above", "a"),
		bind(InsertBelow, "insert below", "b"),
		bind(Delete, "delete", "d d"),
		bind(Cut, "cut", "x"),
		bind(Copy, "copy", "c"),
		bind(PasteBelow, "paste below", "v"),
		bind(PasteAbove, "paste above", "V"),
		bind(Undo, "undo", "z"),
		bind(Redo, "redo", "Z"),
		bind(ToCode, "make it code", "y"),
		bind(ToMarkdown, "make it markdown", "m"),
		bind(ToRaw, "make it raw", "r"),
		bind(Heading1, "make it a heading", "1"),
		bind(Heading2, "heading of level 2", "2"),
		bind(Heading3, "heading of level 3", "3"),
		bind(Heading4, "heading of level 4", "4"),
		bind(Heading5, "heading of level 5", "5"),
		bind(Heading6, "heading of level 6", "6"),
		bind(MoveUp, "move the cell up", "alt+up", "ctrl+shift+up"),
		bind(MoveDown, "move the cell down", "alt+down", "ctrl+shift+down"),
		bind(Merge, "merge the selected cells, or with the one below", "M"),
		bind(FoldInput, "fold the source", "-"),
	)
}

func outputs() []Binding {
	rows := group(Command, "Outputs",
		bind(FoldOutput, "fold the output", "o"),
		bind(ExpandOutput, "show all of the output", "O"),
		bind(ClearOutput, "clear the output", "delete"),
		bind(CopyOutput, "copy the output to the terminal's clipboard", "Y"),
		bind(NextForm, "show the output's next form", ","),
		bind(EarlierOutput, "outputs of earlier runs, Esc the newest", "H"),
		bind(PanLeft, "scroll a wide table left", "left"),
		bind(PanRight, "scroll a wide table right", "right"),
	)
	return append(rows, group(Command, "Program",
		bind(Save, "save", "s"),
		bind(SaveAs, "save as", "S"),
		bind(Quit, "quit", "q"),
		bind(OpenTree, "go to the tree of files", "t"),
		bind(NextTab, "next open notebook", "g t"),
		bind(PreviousTab, "previous open notebook", "g T"),
		bind(CloseTab, "close the notebook", "g c"),
		bind(OpenHelp, "help", "h", "?"),
		bind(Suspend, "suspend", "ctrl+z"),
	)...)
}

func finding() []Binding {
	return group(Command, "Finding",
		bind(Search, "find", "/"),
		bind(OpenFind, "find and replace", "f"),
		bind(FindNext, "next hit", "n"),
		bind(FindPrevious, "previous hit", "N"),
		bind(CommandLine, "command line: cell, line or action", ":"),
		bind(OpenPalette, "palette of all actions", "p"),
	)
}

func findLine() []Binding {
	return group(Find, "The line of find",
		bind(FindAccept, "next hit; in the second field, replace", "enter"),
		bind(FindDown, "next hit", "down", "ctrl+n", "ctrl+f"),
		bind(FindUp, "previous hit", "up", "ctrl+p", "shift+enter"),
		bind(FindField, "to the replacement and back", "tab", "shift+tab"),
		bind(FindReplace, "replace all", "alt+a", "ctrl+r"),
		bind(FindCase, "case counts or not", "alt+c"),
		bind(FindWord, "whole words or not", "alt+w"),
		bind(FindRegexp, "regular expression or not", "alt+r"),
		bind(CloseFind, "close", "esc"),
	)
}

func list() []Binding {
	return group(List, "Lists",
		bind(ListAccept, "choose", "enter"),
		bind(ListDown, "down", "down", "ctrl+n", "tab"),
		bind(ListUp, "up", "up", "ctrl+p", "shift+tab"),
		bind(ListPageDown, "a page down", "pgdown"),
		bind(ListPageUp, "a page up", "pgup"),
		bind(CloseList, "close", "esc", "ctrl+g"),
	)
}

func prompt() []Binding {
	return group(Prompt, "A line for input()",
		bind(Answer, "send the line", "enter"),
		bind(LeavePrompt, "leave the line; Enter on the cell comes back", "esc"),
	)
}

func path() []Binding {
	return group(Path, "A name to save under",
		bind(SavePath, "save under this name", "enter"),
		bind(CompletePath, "complete the path", "tab"),
		bind(LeavePath, "leave it", "esc"),
	)
}

func text() []Binding {
	return group(Text, "A file that is no notebook",
		bind(ViewText, "view it as text, or why it is none", "v"),
		bind(TextDown, "scroll down", "j", "down"),
		bind(TextUp, "scroll up", "k", "up"),
		bind(TextPageDown, "a page down", "pgdown", "space"),
		bind(TextPageUp, "a page up", "pgup", "shift+space"),
		bind(TextFirst, "first line", "g g", "home"),
		bind(TextLast, "last line", "G", "end"),
		bind(OpenTree, "go to the tree of files", "t"),
		bind(NextTab, "next open notebook", "g t"),
		bind(PreviousTab, "previous open notebook", "g T"),
		bind(CloseText, "quit", "q"),
	)
}

func question() []Binding {
	return group(Question, "Questions",
		bind(AnswerSave, "save", "s"),
		bind(AnswerDiscard, "discard", "d"),
		bind(AnswerKeep, "keep running", "k"),
		bind(AnswerStop, "stop what runs", "x"),
		bind(AnswerMine, "mine", "m"),
		bind(AnswerTheirs, "theirs", "t"),
		bind(AnswerCompare, "compare", "c"),
		bind(AnswerRestore, "restore", "r"),
		bind(AnswerWrite, "make it again", "w"),
		bind(AnswerSaveAs, "save as", "S"),
		bind(AnswerOverwrite, "write over it", "o"),
		bind(AnswerYes, "yes", "y"),
		bind(AnswerNo, "no", "n"),
		bind(CompareDown, "scroll a comparison down", "down"),
		bind(CompareUp, "scroll it up", "up"),
		bind(ComparePageDown, "a page down", "pgdown", "space"),
		bind(ComparePageUp, "a page up", "pgup", "shift+space"),
		bind(AnswerBack, "back", "esc"),
	)
}

func help() []Binding {
	rows := group(Help, "This page",
		bind(HelpDown, "scroll down", "j", "down"),
		bind(HelpUp, "scroll up", "k", "up"),
		bind(HelpPageDown, "a page down", "pgdown", "space"),
		bind(HelpPageUp, "a page up", "pgup", "shift+space"),
		bind(HelpTop, "to the start", "g", "home"),
		bind(HelpBottom, "to the end", "G", "end"),
		bind(HelpFind, "find a key or an action", "/"),
		bind(CloseHelp, "close; after finding, all keys again", "esc", "q", "f1", "h", "?"),
	)
	return append(rows, group(HelpLine, "Finding on this page",
		bind(HelpFound, "keep what was found", "enter"),
		bind(HelpForget, "all keys again", "esc"),
	)...)
}
