//go:build !linux

package envd

import "os"

// attributes are metadata, which files have on Linux only.
func attributes(*os.Root, string) map[string]string { return nil }

func attributesIn(*os.File, string) map[string]string { return nil }

func setAttributes(*os.File, map[string]string, map[string]string) error { return nil }

func fileAttributes(*os.File) map[string]string { return nil }
