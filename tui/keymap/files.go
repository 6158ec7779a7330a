package keymap

// The actions of the tree of files.
const (
	ToggleTree      Action = "tree"
	OpenTree        Action = "go to the tree"
	LeaveTree       Action = "leave the tree"
	TreeDown        Action = "tree down"
	TreeUp          Action = "tree up"
	TreePageDown    Action = "tree page down"
	TreePageUp      Action = "tree page up"
	TreeFirst       Action = "tree first"
	TreeLast        Action = "tree last"
	TreeOpen        Action = "tree open"
	TreeExpand      Action = "tree expand"
	TreeCollapse    Action = "tree collapse"
	TreeParent      Action = "tree parent"
	TreeFilter      Action = "tree filter"
	TreeHidden      Action = "tree hidden files"
	TreeIgnored     Action = "tree ignored files"
	TreeSort        Action = "tree order"
	TreeRefresh     Action = "tree refresh"
	TreeReplace     Action = "tree open instead"
	TreeNewNotebook Action = "tree new notebook"
	TreeNewFolder   Action = "tree new folder"
	TreeRename      Action = "tree rename"
	TreeDelete      Action = "tree delete"
	TreeCopy        Action = "tree copy"
	TreeCut         Action = "tree cut"
	TreePaste       Action = "tree paste"
	TreeCopyPath    Action = "tree copy path"
	TreeUndo        Action = "tree undo"
	TreeToKernel    Action = "tree to the kernel"
	TreeInsert      Action = "tree insert"
	TreeUpload      Action = "tree upload"
	TreeDownload    Action = "tree download"
	TreeShell       Action = "tree shell"
	NextTab         Action = "next tab"
	PreviousTab     Action = "previous tab"
	CloseTab        Action = "close tab"
	TreeKeep        Action = "tree line keep"
	TreeForget      Action = "tree line forget"
)

// treeKeys are the keys of the tree of files.
func treeKeys() []Binding {
	rows := group(Tree, "The tree of files",
		bind(TreeOpen, "open the file; expand the folder or collapse it", "enter"),
		bind(TreeReplace, "open the notebook in place of the one that shows", "o"),
		bind(TreeDown, "down", "j", "down"),
		bind(TreeUp, "up", "k", "up"),
		bind(TreeExpand, "expand the folder", "l", "right"),
		bind(TreeCollapse, "collapse the folder, or go to it", "h", "left"),
		bind(TreePageDown, "a page down", "pgdown", "space"),
		bind(TreePageUp, "a page up", "pgup", "shift+space"),
		bind(TreeFirst, "to the start", "g g", "home"),
		bind(TreeLast, "to the end", "G", "end"),
		bind(TreeFilter, "filter by name", "/"),
		bind(TreeHidden, "hidden files or not", "."),
		bind(TreeIgnored, "files that .gitignore names, or not", "I"),
		bind(TreeSort, "sort by name, time, size", "s"),
		bind(TreeParent, "up to the folder above", "u"),
		bind(TreeRefresh, "read all again, forget marks of changes", "R"),
		bind(TreeNewNotebook, "new notebook", "a"),
		bind(TreeNewFolder, "new folder", "A"),
		bind(TreeRename, "rename, or move to a path", "r"),
		bind(TreeDelete, "delete", "d"),
		bind(TreeCopy, "copy", "c"),
		bind(TreeCut, "cut", "x"),
		bind(TreePaste, "paste into the folder", "v"),
		bind(TreeCopyPath, "copy the path to the terminal's clipboard", "y"),
		bind(TreeUndo, "take back what was done to files", "z"),
		bind(TreeToKernel, "to the kernel's working folder", "C"),
		bind(TreeInsert, "put code that opens the file into the cell", "i"),
		bind(TreeUpload, "copy a file of this machine to the host", "U"),
		bind(TreeDownload, "copy the file from the host to this machine", "D"),
		bind(TreeShell, "a shell in the folder", "!"),
		bind(LeaveTree, "back to the notebook", "esc"),
	)
	return append(rows, group(TreeLine, "A line below the tree",
		bind(TreeKeep, "take it", "enter"),
		bind(TreeForget, "leave it", "esc"),
	)...)
}
