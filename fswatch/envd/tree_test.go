package envd

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A root that is reached through a link is known by both names.
func TestRootByTwoNames(t *testing.T) {
	top := tempDir(t)
	must(t, os.MkdirAll(top+"/real/root/d", 0o755))
	must(t, os.Symlink("real", top+"/alias"))
	must(t, os.Symlink(top+"/alias/root/d", top+"/real/root/abs"))
	tr, err := openTree(top + "/alias/root")
	must(t, err)
	defer tr.close()
	for path, want := range map[string]string{
		top + "/alias/root/d":           "d",
		top + "/real/root/d":            "d",
		top + "/real/root/abs":          "d",
		top + "/real/root/../root/d":    "d",
		top + "/real/root/abs/../d/new": "d/new",
		top + "/real":                   "",
		top + "/alias/root2":            "",
		top + "/alias/../real/root":     "", // the system would go elsewhere than the name says
		"/":                             "",
	} {
		p, err := tr.find(path, true)
		if want == "" && !errors.Is(err, errOutside) || want != "" && (err != nil || p.rel != want) {
			t.Errorf("%s: %q %v, want %q", path, p.rel, err, want)
		}
	}
}

func TestRootOfEverything(t *testing.T) {
	dir := tempDir(t)
	tr, err := openTree("/")
	must(t, err)
	defer tr.close()
	for path, want := range map[string]string{"/": ".", "/..": ".", dir + "/../x": parent(dir)[1:] + "/x", dir + "/": dir[1:]} {
		if p, err := tr.find(path, true); err != nil || p.rel != want {
			t.Errorf("%s: %q %v, want %q", path, p.rel, err, want)
		}
	}
}

// Somebody swaps a folder for a link to elsewhere, again and again, while files are written.
func TestNoWayOutByRaces(t *testing.T) {
	home, elsewhere := tempDir(t), tempDir(t)
	s := newServer(t, ServerOptions{Root: home, NoAuth: true})
	stop := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Mkdir(home+"/d", 0o755)
			_ = os.RemoveAll(home + "/d")
			_ = os.Symlink(elsewhere, home+"/d")
			_ = os.Remove(home + "/d")
		}
	})
	for range 300 {
		ask(s, "POST", files("path", home+"/d/f"), "x", "Content-Type", "application/octet-stream")
		call(t, s, "MakeDir", pathOf(home+"/d/e/f"))
		ask(s, "GET", files("path", home+"/d/f"), "")
	}
	close(stop)
	swapper.Wait()
	if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 {
		t.Errorf("written outside: %v %v", left, err)
	}
}

// FuzzFind looks for a path that leads out of the root.
func FuzzFind(f *testing.F) {
	for _, p := range []string{"/../x", "/a/../../x", "/up/x", "/abs/etc", "/loop/x", "//./a/", "/a/up2/../..", "\x00", "/new/../../.."} {
		f.Add(p)
	}
	home := must1(filepath.EvalSymlinks(f.TempDir()))
	root := home + "/root"
	must1(0, os.MkdirAll(root+"/a/b", 0o755))
	for name, target := range map[string]string{"up": "../..", "abs": "/", "loop": "loop", "a/up2": "../../root", "self": root} {
		must1(0, os.Symlink(target, root+"/"+name))
	}
	tr := must1(openTree(root))
	f.Cleanup(func() { tr.close() })
	f.Fuzz(func(t *testing.T, path string) {
		for _, follow := range []bool{false, true} {
			p, err := tr.find(root+path, follow)
			if err != nil {
				continue
			}
			if !filepath.IsLocal(p.rel) {
				t.Fatalf("%q leads to %q", path, p.rel)
			}
			// What is there is opened without a link on the way.
			if real, err := filepath.EvalSymlinks(filepath.Join(root, filepath.Dir(p.rel))); err == nil && !strings.HasPrefix(real+"/", root+"/") {
				t.Fatalf("%q leads through %q", path, real)
			}
		}
	})
}

// FuzzForm looks for a body that ends the server or gets out.
func FuzzForm(f *testing.F) {
	body, kind := form([3]string{"file", "a", "1"}, [3]string{"file", "../b", "2"})
	f.Add(body, kind)
	f.Add("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"/etc/x\"\r\n\r\n1\r\n--x--", "multipart/form-data; boundary=x")
	home := must1(filepath.EvalSymlinks(f.TempDir()))
	must1(0, os.Mkdir(home+"/root", 0o755))
	s := must1(NewServer(ServerOptions{Root: home + "/root", NoAuth: true}))
	f.Cleanup(func() { s.Close() })
	f.Fuzz(func(t *testing.T, body, kind string) {
		ask(s, "POST", "/files", body, "Content-Type", kind)
		if list, err := os.ReadDir(home); err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
	})
}
