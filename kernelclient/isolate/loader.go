package isolate

import "strings"

// withoutLoader takes what tells the dynamic loader which code to load out of an environment,
// which may be a client's: it would be loaded into bubblewrap, before there is a box. args
// are those of bubblewrap that set it for the program in the box.
func withoutLoader(env []string) (rest, args []string) {
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "LD_") || name == "GLIBC_TUNABLES" {
			args = append(args, "--setenv", name, value)
			continue
		}
		rest = append(rest, kv)
	}
	return rest, args
}
