package diskfile

import (
	"errors"
	"io/fs"
	"os"
)

const nonblock = 0

// replaceable is true: owners and permissions are the folder's matter here.
func replaceable(string, fs.FileInfo) bool { return true }

func keepOwner(*os.File, fs.FileInfo) error { return nil }

func replaceError(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return &cannotReplace{err}
	}
	return err
}

// syncDir does nothing: folders cannot be opened to be synced.
func syncDir(string) error { return nil }
