package tui

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How well an item fits what was typed, from not at all.
const (
	noFit = iota
	fitsLetters
	fitsWords // anywhere in its line
	fitsName
	fitsInitials
	fitsStarts // each word begins a word of its name
	fitsAtOnce // its name begins with it
)

// fit tells how well an item fits what was typed, in any case.
func fit(it item, typed string) int {
	typed = strings.ToLower(strings.TrimSpace(typed))
	name := strings.ToLower(it.name)
	words := strings.Fields(typed)
	letters := strings.Join(words, "")
	switch {
	case strings.HasPrefix(name, typed):
		return fitsAtOnce
	case eachWord(words, func(w string) bool { return strings.Contains(" "+name, " "+w) }):
		return fitsStarts
	case len(letters) > 1 && strings.HasPrefix(initials(name), letters):
		return fitsInitials
	case eachWord(words, func(w string) bool { return strings.Contains(name, w) }):
		return fitsName
	}
	line := strings.ToLower(it.name + " " + it.detail + " " + it.right)
	switch {
	case eachWord(words, func(w string) bool { return strings.Contains(line, w) }):
		return fitsWords
	case len(letters) > 1 && inOrder(name, letters):
		return fitsLetters
	}
	return noFit
}

func eachWord(words []string, ok func(string) bool) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !ok(w) })
}

// initials are the first letters of a name's words.
func initials(name string) string {
	var b strings.Builder
	for _, w := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		r, _ := utf8.DecodeRuneInString(w)
		b.WriteRune(r)
	}
	return b.String()
}

// inOrder tells whether a name has these letters in this order, with others between them.
func inOrder(name, letters string) bool { return spread(name, letters) >= 0 }

// spread is how many bytes of a name the letters take in this order, in the place where
// they stand closest; -1 if they are not all there.
func spread(name, letters string) int {
	least := -1
	for start := range name {
		at, ok := start, true
		for _, r := range letters {
			i := strings.IndexRune(name[at:], r)
			if ok = i >= 0; !ok {
				break
			}
			at += i + utf8.RuneLen(r)
		}
		if n := at - start; ok && (least < 0 || n < least) {
			least = n
		}
	}
	return least
}

// loose orders items that have but the letters: the closer they stand, the better.
func loose(it item, typed string) int {
	if fit(it, typed) != fitsLetters {
		return 0
	}
	return spread(strings.ToLower(it.name), strings.Join(strings.Fields(strings.ToLower(typed)), ""))
}

// rankItems returns the items that fit, best first and those that cannot be chosen last;
// all of them, in their groups, where nothing is typed.
func rankItems(all []item, typed string) []item {
	if strings.TrimSpace(typed) == "" {
		return all
	}
	out := fitting(all, typed)
	for i := range out {
		out[i].group = ""
	}
	slices.SortStableFunc(out, func(a, b item) int {
		return cmp.Or(cmp.Compare(barred(a), barred(b)), cmp.Compare(fit(b, typed), fit(a, typed)), cmp.Compare(loose(a, typed), loose(b, typed)))
	})
	return out
}

// barred orders items that cannot be chosen behind the others.
func barred(it item) int {
	if it.why != "" {
		return 1
	}
	return 0
}

// fitting returns the items that fit, in their order. Where some fit as words, those that
// have but the letters are left out.
func fitting(all []item, typed string) []item {
	if strings.TrimSpace(typed) == "" {
		return all
	}
	var words, letters []item
	for _, it := range all {
		switch fit(it, typed) {
		case noFit:
		case fitsLetters:
			letters = append(letters, it)
		default:
			words = append(words, it)
		}
	}
	if len(words) > 0 {
		return words
	}
	return letters
}

// best is the index of the item to be marked: the first one, in a list of groups the one
// that fits best and can be chosen.
func best(shown []item, typed string) int {
	at, most := 0, noFit
	if len(shown) == 0 || shown[0].group == "" {
		return at
	}
	for i, it := range shown {
		if n := fit(it, typed); it.why == "" && n > most {
			at, most = i, n
		}
	}
	return at
}
