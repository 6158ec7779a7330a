package bridge

import "testing"

// A path is its machine's own where it lies, and has an address everywhere else.
func TestPathsOfTwoMachines(t *testing.T) {
	c := New(ClientOptions{Name: "nbterm+https://far:8890", Base: "https://far:8890"})
	for mine, theirs := range map[string]string{
		"": "",
		"nbterm+https://far:8890/home/ann/n.ipynb": "/home/ann/n.ipynb",
		"/home/ann/n.ipynb":                        here() + "/home/ann/n.ipynb",
		"other:/home/ann/n.ipynb":                  here() + "other:/home/ann/n.ipynb",
	} {
		if got := c.sent(mine); got != theirs {
			t.Errorf("%s is sent as %s", mine, got)
		}
		if got := c.told(theirs); got != mine {
			t.Errorf("%s is told as %s", theirs, got)
		}
	}
	if got := c.told("third:/n.ipynb"); got != "third:/n.ipynb" {
		t.Error(got)
	}
	near := New(ClientOptions{})
	if near.sent("/n.ipynb") != "/n.ipynb" || near.told("/n.ipynb") != "/n.ipynb" {
		t.Error("paths of one machine are changed")
	}
}
