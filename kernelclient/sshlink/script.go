package sshlink

import "strings"

// script is what runs on the other machine, as a word of its shell, whichever that is: it
// finds nbterm and becomes its `nbterm link`. Where there is none it says so, with the system
// and processor, and takes a copy if one comes. It has neither a line break nor a quote.
func script() string {
	lines := []string{
		`h=$HOME/.local/bin`,
		`for p in nbterm "$h/nbterm"; do if command -v "$p" >/dev/null 2>&1; then exec "$p" link; fi; done`,
		`echo "` + mark + `none $(uname -sm)"`,
		`read -r w n s || exit 0`,
		`t=$h/.nbterm.$$`,
		`trap "rm -f \"$t\"" EXIT`,
		`mkdir -p "$h" && head -c "$n" >"$t" && chmod 755 "$t" || { rm -f "$t"; echo "` + mark + `failed $h/nbterm cannot be written"; exit 1; }`,
		`[ $(wc -c <"$t") -eq "$n" ] || exit 1`,
		`if command -v sha256sum >/dev/null 2>&1; then [ "$(sha256sum "$t" | cut -d " " -f 1)" = "$s" ] || { rm -f "$t"; echo "` + mark + `failed the copy is damaged"; exit 1; }; fi`,
		`mv -f "$t" "$h/nbterm" && exec "$h/nbterm" link`,
	}
	return "exec sh -c '" + strings.Join(lines, "; ") + "'"
}
