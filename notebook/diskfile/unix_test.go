//go:build unix

package diskfile

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// ordinary runs the calling test again as a user without privileges if this is root, whom
// no mode stops. It returns true in the process that is to do the test.
func ordinary(t *testing.T) bool {
	t.Helper()
	if os.Geteuid() != 0 {
		return true
	}
	dir, err := os.MkdirTemp("", "diskfile-test-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(dir, 0o777), os.WriteFile(filepath.Join(dir, "t"), bin, 0o755)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(dir, "t"), "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+dir, "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("as an ordinary user: %v\n%s", err, out)
	}
	return false
}

func TestReadOnlyFile(t *testing.T) { // A24
	if !ordinary(t) {
		return
	}
	_, f := setup(t, "old")
	if err := os.Chmod(f.Path, 0o444); err != nil {
		t.Fatal(err)
	}
	if !f.ReadOnly() {
		t.Error("not seen as read-only")
	}
	err := f.Save(saying("new"))
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "chmod u+w") || content(t, f.Path) != "old" {
		t.Error(err)
	}
	if err := os.Chmod(f.Path, 0o644); err != nil {
		t.Fatal(err)
	}
	if f.ReadOnly() {
		t.Error("still seen as read-only")
	}
	if err := f.Save(saying("new")); err != nil || content(t, f.Path) != "new" {
		t.Error(err)
	}
}

func TestUnwritableFolder(t *testing.T) {
	if !ordinary(t) {
		return
	}
	dir, f := setup(t, "old and long")
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	if err := f.Save(saying("new")); err != nil || content(t, f.Path) != "new" {
		t.Error(err)
	}
	only(t, dir, "a.ipynb")
	only(t, filepath.Join(f.StateDir, "recovery"))
	if changed, err := f.Changed(); changed || err != nil {
		t.Error(changed, err)
	}
	if err := New(filepath.Join(dir, "b")).Save(saying("x")); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f.StateDir = "/proc/no-such-place"
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir() // the copy lies here instead
	t.Setenv("TMPDIR", temp)
	if err := f.Save(saying("newer")); err != nil || content(t, f.Path) != "newer" {
		t.Error("the state folder keeps it from being saved:", err)
	}
	only(t, temp)
	t.Setenv("TMPDIR", "/proc/no-such-place-either")
	err := f.Save(saying("unsafe"))
	if err == nil || content(t, f.Path) != "newer" {
		t.Fatal("written in place without a copy:", err)
	}
	if s := err.Error(); !strings.Contains(s, "state folder /proc/no-such-place ") || strings.Contains(s, "read it") {
		t.Error(s)
	}
}

// Once renamed, the file is what was written, though its folder cannot be synced.
func TestNotLasting(t *testing.T) {
	_, f := setup(t, "old")
	f.syncDir = func(string) error { return syscall.EIO }
	err := f.Save(saying("new"))
	if !errors.Is(err, ErrNotLasting) || !errors.Is(err, syscall.EIO) || content(t, f.Path) != "new" {
		t.Fatal(err)
	}
	if s := err.Error(); !strings.Contains(s, "is written but may not survive a power cut") || strings.Contains(s, "cannot save") {
		t.Error(s)
	}
	if changed, err := f.Changed(); changed || err != nil {
		t.Error("its own writing is taken for another program's:", changed, err)
	}
	f.syncDir = nil
	if err := f.Save(saying("newer")); err != nil || content(t, f.Path) != "newer" {
		t.Error(err)
	}
}

func TestUnreadable(t *testing.T) {
	if !ordinary(t) {
		return
	}
	_, f := setup(t, "old")
	if err := os.Chmod(f.Path, 0); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Read(f.Path); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
}

func TestForeignOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make files of others")
	}
	_, f := setup(t, "old")
	if err := errors.Join(os.Chown(f.Path, 65534, 65533), os.Chmod(f.Path, 0o640)); err != nil {
		t.Fatal(err)
	}
	if err := f.Save(saying("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	if st := info.Sys().(*syscall.Stat_t); st.Uid != 65534 || st.Gid != 65533 || info.Mode() != 0o640 || content(t, f.Path) != "new" {
		t.Errorf("now it is %d:%d %v", st.Uid, st.Gid, info.Mode())
	}
}

// A file of another's in a shared group must stay the other's: it is written in place.
func TestForeignOwnerInPlace(t *testing.T) {
	dir, f := setup(t, "old")
	if os.Geteuid() == 0 {
		shared, err := os.MkdirTemp("", "diskfile-shared-*")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(shared) })
		path := filepath.Join(shared, "theirs")
		if err := errors.Join(os.Chmod(shared, 0o777), os.WriteFile(path, []byte("old"), 0o666), os.Chmod(path, 0o666)); err != nil {
			t.Fatal(err)
		}
		t.Setenv("DISKFILE_TEST_THEIRS", path)
		ordinary(t)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if st := info.Sys().(*syscall.Stat_t); st.Uid != 0 || content(t, path) != "new" {
			t.Errorf("uid %d, %q", st.Uid, content(t, path))
		}
		only(t, shared, "theirs")
		return
	}
	path := os.Getenv("DISKFILE_TEST_THEIRS")
	if path == "" {
		t.Skip("needs a file of root's", dir, f.Path)
	}
	_, g, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	g.StateDir = f.StateDir
	if err := g.Save(saying("new")); err != nil {
		t.Fatal(err)
	}
}

func TestHardLinksAndModeUnderUmask(t *testing.T) { // A26
	dir, f := setup(t, "old")
	other := filepath.Join(dir, "other-name.ipynb")
	if err := errors.Join(os.Chmod(f.Path, 0o640), os.Link(f.Path, other)); err != nil {
		t.Fatal(err)
	}
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	for _, linked := range []bool{true, false} {
		if !linked {
			if err := os.Remove(other); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Save(saying("new")); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(f.Path); err != nil || info.Mode() != 0o640 {
			t.Error("mode", info.Mode(), err)
		}
		if linked {
			if content(t, other) != "new" {
				t.Error("the links were split")
			}
			only(t, dir, "a.ipynb", "other-name.ipynb")
		}
		only(t, filepath.Join(f.StateDir, "recovery"))
	}
	fresh := New(filepath.Join(dir, "fresh"))
	if err := fresh.Save(saying("x")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(fresh.Path); err != nil || info.Mode() != 0o600 {
		t.Error("a new file ignores the umask:", info.Mode(), err)
	}
}

func TestSymlinks(t *testing.T) {
	dir, f := setup(t, "old")
	link, dangling := filepath.Join(dir, "link"), filepath.Join(dir, "dangling")
	if err := errors.Join(os.Symlink("a.ipynb", link), os.Symlink("later", dangling), os.Symlink("loop", filepath.Join(dir, "loop"))); err != nil {
		t.Fatal(err)
	}
	_, g, err := Read(link)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Save(saying("new")); err != nil || content(t, f.Path) != "new" {
		t.Error(err)
	}
	if to, err := os.Readlink(link); err != nil || to != "a.ipynb" {
		t.Error("the link is gone:", to, err)
	}
	if err := New(dangling).Save(saying("x")); err != nil || content(t, filepath.Join(dir, "later")) != "x" {
		t.Error(err)
	}
	if err := New(filepath.Join(dir, "loop")).Save(saying("x")); err == nil {
		t.Error("a loop was saved to")
	}
}

func TestNotAFile(t *testing.T) {
	dir := t.TempDir()
	fifo, sock := filepath.Join(dir, "fifo"), filepath.Join(dir, "s")
	if err := syscall.Mkfifo(fifo, 0o666); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", sock)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, path := range []string{fifo, sock, os.DevNull} {
		if _, _, err := Read(path); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: %v", path, err)
		}
		if err := New(path).Save(saying("x")); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestFullDisk(t *testing.T) {
	// /dev/full is no regular file; a write function that fails as a full disk does must do.
	_, f := setup(t, "old")
	err := f.Save(func(io.Writer) error {
		return &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	})
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "make room") || content(t, f.Path) != "old" {
		t.Error(err)
	}
}

// A save in place for which there is no room leaves the old content whole. The limit on
// the size of files stands for a disk that is full.
func TestNoRoomInPlace(t *testing.T) {
	dir := t.TempDir()
	target, from := filepath.Join(dir, "target"), filepath.Join(dir, "from")
	old, fresh := strings.Repeat("old ", 10_000), strings.Repeat("new content ", 10_000)
	if err := errors.Join(os.WriteFile(target, []byte(old), 0o600), os.WriteFile(from, []byte(fresh), 0o600)); err != nil {
		t.Fatal(err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	small := limit
	small.Cur = 50_000
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		t.Skip(err)
	}
	_, _, err := overwrite(target, from)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	var damaged *damage
	if !errors.Is(err, syscall.EFBIG) || errors.As(err, &damaged) || content(t, target) != old {
		t.Errorf("%v, %d bytes are there", err, len(content(t, target)))
	}
	for _, text := range []string{fresh, old, "", "short", fresh} {
		if err := os.WriteFile(from, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		sum, info, err := overwrite(target, from)
		if err != nil || content(t, target) != text || info.Size() != int64(len(text)) {
			t.Fatalf("%v: %d of %d bytes", err, len(content(t, target)), len(text))
		}
		if want := sha256.Sum256([]byte(text)); !bytes.Equal(sum.Sum(nil), want[:]) {
			t.Errorf("the sum of %d bytes is wrong", len(text))
		}
	}
}

// What a claim says is in it before anybody can see it.
func TestClaimIsWrittenBeforeItIsSeen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	held, err := claim(path, []byte("text"))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if text, err := os.ReadFile(path); err != nil || string(text) != "text" || !claimed(path, Owner{}) {
		t.Errorf("%q %v", text, err)
	}
}
