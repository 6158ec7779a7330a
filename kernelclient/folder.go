package kernelclient

import "context"

// Folder is what an Asker is too whose kernel may be able to tell where it is. Every other
// one counts as a kernel that cannot.
type Folder interface {
	// Folder returns the kernel's working folder now, whatever its code made of it, as the
	// kernel's machine names it: bytes, as paths are. The kernel runs nothing of the user's
	// for it. A kernel whose language has no way to tell is Unsupported; else it fails as
	// every question does.
	Folder(ctx context.Context) (string, error)
}

// FolderOf asks for the working folder of a's kernel.
func FolderOf(ctx context.Context, a Asker) (string, error) {
	if f, ok := a.(Folder); ok {
		return f.Folder(ctx)
	}
	return "", NoFolder()
}

// NoFolder is the error of a kernel that cannot tell its working folder: its Kind is Unsupported.
func NoFolder() error {
	return &Error{Kind: Unsupported, What: "this kernel cannot tell its working folder"}
}

// Folder implements Folder.
func (a asker) Folder(ctx context.Context) (string, error) {
	ctx, done, err := a.begin(ctx, "question for its folder")
	if err != nil {
		return "", err
	}
	defer done()
	dir, err := FolderOf(ctx, a.driver)
	return dir, told(ctx, err)
}
