package jupyterserver

import (
	"net/url"
	"path"
	"strings"

	"github.com/nbterm/nbterm/kernelclient"
)

// Address is what a URL says of a server, taken apart.
type Address struct {
	// Base is where the server's own paths begin, without a final slash, user, query or
	// fragment: nothing of it is secret.
	Base     *url.URL
	Token    string // "" for none
	User     string // of HTTP authentication, "" for none
	Password string // of HTTP authentication
	File     string // the notebook or other file that the page shows, relative to the server's root; "" for none
}

// pages are the first parts of the paths of a server's pages. What comes before them is the
// server's base path.
const pages = " lab tree notebooks notebook edit view consoles terminals doc nbclassic files login logout api voila "

// ParseAddress reads a server's address as people have it: copied from a browser or from
// the server's own words, with or without token, page and scheme. Its errors do not say
// what they could not read: there may be a token in it.
func ParseAddress(text string) (Address, error) {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return Address{}, &kernelclient.Error{
			Kind: kernelclient.Invalid, What: "this is no address of a Jupyter server",
			Next: "one looks like http://HOST:8888/, with its base path if it has one",
		}
	}
	a := Address{Token: u.Query().Get("token"), User: u.User.Username()}
	a.Password, _ = u.User.Password()
	base, file := splitPage(u.Path)
	a.Base, a.File = &url.URL{Scheme: u.Scheme, Host: u.Host, Path: base}, file
	return a, nil
}

// splitPage takes a URL's path apart into the base path and the file that the page shows.
func splitPage(p string) (base, file string) {
	parts := strings.Split(strings.Trim(path.Clean("/"+p), "/"), "/")
	from := 0
	if len(parts) > 1 && parts[0] == "user" { // a user of JupyterHub may be called lab
		from = 2
	}
	for i := from; i < len(parts); i++ {
		if parts[i] == "" || !strings.Contains(pages, " "+parts[i]+" ") {
			continue
		}
		return rooted(parts[:i]), shown(parts[i], parts[i+1:])
	}
	return rooted(parts), ""
}

func rooted(parts []string) string {
	if p := strings.Join(parts, "/"); p != "" {
		return "/" + p
	}
	return ""
}

// shown is the file of a page.
func shown(page string, rest []string) string {
	if page == "lab" || page == "doc" || page == "nbclassic" { // lab/workspaces/NAME/tree/FILE
		for i, part := range rest {
			if part == "tree" || part == "notebooks" {
				return strings.TrimPrefix(strings.Join(rest[i+1:], "/"), "RTC:")
			}
		}
		return ""
	}
	if page == "tree" || page == "notebooks" || page == "edit" || page == "files" || page == "view" {
		return strings.Join(rest, "/")
	}
	return ""
}

// String is the base: what may be shown.
func (a Address) String() string { return a.Base.String() }
