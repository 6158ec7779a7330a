package rawjson

import (
	"bytes"
	"errors"
	"fmt"
)

// Value is the text of one JSON value as it was read, without space around it.
// It is shared with the text it was cut from: nobody may change its bytes.
// A nil Value means "absent".
type Value []byte

// Kind says what a value's first byte announces.
type Kind uint8

// The kinds of a Value. Number includes NaN, Infinity and -Infinity.
const (
	Invalid Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// MaxDepth bounds the nesting that a Reader accepts.
const MaxDepth = 10_000

// A SyntaxError says where a text stops being JSON.
type SyntaxError struct {
	Offset int    // in bytes from the start of the text
	Want   string // what the grammar asks for there
	Short  bool   // the text ended too early; Offset is its length
}

func (e *SyntaxError) Error() string {
	if e.Short {
		return fmt.Sprintf("the text ends at byte %d where %s is due", e.Offset, e.Want)
	}
	return fmt.Sprintf("byte %d: %s is due here", e.Offset, e.Want)
}

var errDepth = errors.New("nested deeper than 10000 levels")

// Kind tells what v is, from its first byte alone.
func (v Value) Kind() Kind {
	if len(v) == 0 {
		return Invalid
	}
	switch c := v[0]; {
	case c == '{':
		return Object
	case c == '[':
		return Array
	case c == '"':
		return String
	case c == 't', c == 'f':
		return Bool
	case c == 'n':
		return Null
	case c == '-', c == 'N', c == 'I', '0' <= c && c <= '9':
		return Number
	}
	return Invalid
}

// Reader walks a text from Pos on. The zero Pos is the start. Data is never changed.
type Reader struct {
	Data []byte
	Pos  int
}

// Parse reads a text that holds exactly one value, with space around it allowed,
// and checks all of its structure.
func Parse(text []byte) (Value, error) {
	r := Reader{Data: text}
	r.space()
	v, err := r.Skip()
	if err != nil {
		return nil, err
	}
	if err := r.End(); err != nil {
		return nil, err
	}
	return v, nil
}

// End is an error unless only space is left.
func (r *Reader) End() error {
	r.space()
	if r.Pos < len(r.Data) {
		return &SyntaxError{Offset: r.Pos, Want: "the end"}
	}
	return nil
}

// Peek skips space and tells the kind of the value at Pos, Invalid at the end of the text.
func (r *Reader) Peek() Kind {
	r.space()
	if r.Pos >= len(r.Data) {
		return Invalid
	}
	return Value(r.Data[r.Pos:]).Kind()
}

// Object reads the object at Pos. member is called once a member in file order, twins
// included, with Pos at the first byte of its value; it must consume that value (Skip,
// Object or Array). key is the raw token with its quotes.
func (r *Reader) Object(member func(key Value) error) error {
	if err := r.open('{', "an object"); err != nil {
		return err
	}
	if r.closes('}') {
		return nil
	}
	for {
		r.space()
		if r.Pos >= len(r.Data) || r.Data[r.Pos] != '"' {
			return r.fail("a key in quotes")
		}
		key, err := r.str()
		if err != nil {
			return err
		}
		if err := r.open(':', `":"`); err != nil {
			return err
		}
		r.space()
		if err := member(key); err != nil {
			return err
		}
		more, err := r.next('}', `"," or "}"`)
		if err != nil || !more {
			return err
		}
	}
}

// Array reads the array at Pos. element is called with Pos at the first byte of each
// element, which it must consume.
func (r *Reader) Array(element func(i int) error) error {
	if err := r.open('[', "an array"); err != nil {
		return err
	}
	if r.closes(']') {
		return nil
	}
	for i := 0; ; i++ {
		r.space()
		if err := element(i); err != nil {
			return err
		}
		more, err := r.next(']', `"," or "]"`)
		if err != nil || !more {
			return err
		}
	}
}

// Skip consumes the value at Pos, whatever it is, and returns its text.
func (r *Reader) Skip() (Value, error) {
	r.space()
	start := r.Pos
	var nest []byte // the closing brackets that are due
	for {
		open, err := r.scalarOrOpen()
		if err != nil {
			return nil, err
		}
		if open != 0 {
			if len(nest) == MaxDepth {
				return nil, errDepth
			}
			nest = append(nest, open)
		}
		if nest, err = r.closeOrContinue(nest, open != 0); err != nil {
			return nil, err
		}
		if len(nest) == 0 {
			return r.Data[start:r.Pos], nil
		}
	}
}

// scalarOrOpen consumes a scalar, or one opening bracket and returns the bracket that closes it.
func (r *Reader) scalarOrOpen() (byte, error) {
	r.space()
	if r.Pos >= len(r.Data) {
		return 0, r.fail("a value")
	}
	switch Value(r.Data[r.Pos:]).Kind() {
	case Object:
		r.Pos++
		return '}', nil
	case Array:
		r.Pos++
		return ']', nil
	case String:
		_, err := r.str()
		return 0, err
	case Number:
		return 0, r.number()
	case Bool, Null:
		return 0, r.word("true", "false", "null")
	default:
		return 0, r.fail("a value")
	}
}

// closeOrContinue consumes brackets that close, and the comma and key before the next value.
// opened says that the last bracket was opened just now, so that it may be empty.
func (r *Reader) closeOrContinue(nest []byte, opened bool) ([]byte, error) {
	for len(nest) > 0 {
		due := nest[len(nest)-1]
		r.space()
		if r.Pos >= len(r.Data) {
			return nil, r.fail(fmt.Sprintf("%q", due))
		}
		c := r.Data[r.Pos]
		switch {
		case c == due:
			r.Pos++
			nest = nest[:len(nest)-1]
			opened = false
			continue
		case !opened && c == ',':
			r.Pos++
		case !opened:
			return nil, r.fail(fmt.Sprintf(`"," or %q`, due))
		}
		if due == '}' {
			return nest, r.key()
		}
		return nest, nil
	}
	return nest, nil
}

func (r *Reader) key() error {
	r.space()
	if r.Pos >= len(r.Data) || r.Data[r.Pos] != '"' {
		return r.fail("a key in quotes")
	}
	if _, err := r.str(); err != nil {
		return err
	}
	return r.open(':', `":"`)
}

func (r *Reader) space() {
	for r.Pos < len(r.Data) {
		switch r.Data[r.Pos] {
		case ' ', '\t', '\n', '\r':
			r.Pos++
		default:
			return
		}
	}
}

func (r *Reader) fail(want string) error {
	r.Pos = min(r.Pos, len(r.Data))
	return &SyntaxError{Offset: r.Pos, Want: want, Short: r.Pos == len(r.Data)}
}

func (r *Reader) open(c byte, want string) error {
	r.space()
	if r.Pos >= len(r.Data) || r.Data[r.Pos] != c {
		return r.fail(want)
	}
	r.Pos++
	return nil
}

func (r *Reader) closes(c byte) bool {
	r.space()
	if r.Pos < len(r.Data) && r.Data[r.Pos] == c {
		r.Pos++
		return true
	}
	return false
}

func (r *Reader) next(end byte, want string) (more bool, err error) {
	r.space()
	if r.Pos >= len(r.Data) {
		return false, r.fail(want)
	}
	switch r.Data[r.Pos] {
	case ',':
		r.Pos++
		return true, nil
	case end:
		r.Pos++
		return false, nil
	}
	return false, r.fail(want)
}

// str consumes the string at Pos. Escapes are not judged here: String reads what it can of them.
func (r *Reader) str() (Value, error) {
	start := r.Pos
	i := start + 1
	for {
		n := bytes.IndexByte(r.Data[i:], '"')
		if n < 0 {
			r.Pos = len(r.Data)
			return nil, r.fail("the end of a string")
		}
		i += n
		slashes := 0
		for r.Data[i-1-slashes] == '\\' { // ends at the opening quote at the latest
			slashes++
		}
		i++
		if slashes%2 == 0 {
			r.Pos = i
			return r.Data[start:i], nil
		}
	}
}

func (r *Reader) word(words ...string) error {
	for _, w := range words {
		if bytes.HasPrefix(r.Data[r.Pos:], []byte(w)) {
			r.Pos += len(w)
			return nil
		}
		if rest := r.Data[r.Pos:]; len(rest) < len(w) && bytes.HasPrefix([]byte(w), rest) {
			r.Pos = len(r.Data)
		}
	}
	return r.fail("a value")
}

func (r *Reader) number() error {
	if c := r.Data[r.Pos]; c == 'N' || c == 'I' {
		return r.word("NaN", "Infinity")
	}
	if r.Data[r.Pos] == '-' {
		r.Pos++
		if r.Pos < len(r.Data) && r.Data[r.Pos] == 'I' {
			return r.word("Infinity")
		}
	}
	if r.Pos < len(r.Data) && r.Data[r.Pos] == '0' {
		r.Pos++ // a leading zero stands alone
	} else if r.digits() == 0 {
		return r.fail("a digit")
	}
	if r.Pos < len(r.Data) && r.Data[r.Pos] == '.' {
		r.Pos++
		if r.digits() == 0 {
			return r.fail("a digit")
		}
	}
	if r.Pos < len(r.Data) && (r.Data[r.Pos] == 'e' || r.Data[r.Pos] == 'E') {
		r.Pos++
		if r.Pos < len(r.Data) && (r.Data[r.Pos] == '+' || r.Data[r.Pos] == '-') {
			r.Pos++
		}
		if r.digits() == 0 {
			return r.fail("a digit")
		}
	}
	return nil
}

func (r *Reader) digits() int {
	start := r.Pos
	for r.Pos < len(r.Data) && '0' <= r.Data[r.Pos] && r.Data[r.Pos] <= '9' {
		r.Pos++
	}
	return r.Pos - start
}
