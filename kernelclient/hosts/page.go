package hosts

import (
	"net/url"
	"slices"
	"strings"
)

// pages are the first words of the paths that Jupyter's own pages have behind the base path.
func pages() []string {
	return []string{"lab", "tree", "notebooks", "nbclassic", "edit", "view", "doc", "consoles", "terminals", "login", "files", "api"}
}

// splitPage parts the path of an address, copied from a browser perhaps, into the
// server's base path and the notebook that it names, if any: /user/ann/lab/tree/x.ipynb is
// x.ipynb of the server at /user/ann/.
func splitPage(path string) (base, notebook string) {
	words := strings.Split(strings.Trim(path, "/"), "/")
	for i, w := range words {
		if i > 0 && words[i-1] == "user" { // JupyterHub's name of a person
			continue
		}
		if slices.Contains(pages(), w) {
			return strings.Join(words[:i], "/"), notebookOf(words[i+1:])
		}
	}
	if name := notebookOf(words); name != "" {
		if words[0] == "user" && len(words) > 2 {
			return strings.Join(words[:2], "/"), notebookOf(words[2:])
		}
		return "", name
	}
	return path, ""
}

// notebookOf is the path of a notebook behind the words of a page.
func notebookOf(words []string) string {
	if at := slices.Index(words, "tree"); at >= 0 { // lab/tree/…, lab/workspaces/w/tree/…, doc/tree/…
		words = words[at+1:]
	} else if len(words) > 1 && (words[0] == "contents" || words[0] == "notebooks") { // api/contents/…, nbclassic/notebooks/…
		words = words[1:]
	}
	path, err := url.PathUnescape(strings.Join(words, "/"))
	if err != nil || !strings.HasSuffix(path, ".ipynb") {
		return ""
	}
	return path
}
