// Package localfs is this machine's files as an fswatch.FS: folders and names of any bytes,
// files replaced in one step, changes as the system reports them. With Options.Confined no
// path and no symlink leads out of its root, also while somebody else moves things about.
//
// It must not know who asks: permissions are those of the process.
package localfs
