package hosts

import (
	"net/url"
	"strings"

	"github.com/nbterm/nbterm/kernelclient/jupyterserver"
)

// splitPage parts the path of a server's address, copied from a browser perhaps, into the
// server's base path and the notebook that it names, if any. A notebook that is behind no
// page of the server's lies at the root: /user/ann/notes/x.ipynb is notes/x.ipynb of the
// server at /user/ann.
func splitPage(u *url.URL) (base, notebook string) {
	a, err := jupyterserver.ParseAddress(u.String())
	if err != nil {
		return u.EscapedPath(), "" // it was a URL, so this is not its affair
	}
	if strings.HasSuffix(a.File, ".ipynb") {
		return a.Base.EscapedPath(), a.File
	}
	path := strings.TrimPrefix(a.Base.Path, "/")
	if !strings.HasSuffix(path, ".ipynb") {
		return a.Base.EscapedPath(), ""
	}
	if words := strings.SplitN(path, "/", 3); words[0] == "user" && len(words) == 3 {
		return "/user/" + url.PathEscape(words[1]), words[2]
	}
	return "", path
}
