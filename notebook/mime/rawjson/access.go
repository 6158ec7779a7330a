package rawjson

import "strconv"

// Get returns the value of v's member called key, nil where v is no object or lacks it.
// Of twins the last one counts, as in Python's reader. It reads the whole object:
// use Members where several are wanted.
func (v Value) Get(key string) Value {
	var found Value
	v.Members(func(k string, val Value) {
		if k == key {
			found = val
		}
	})
	return found
}

// Members calls f for each member of v in its order; for anything but an object, never.
func (v Value) Members(f func(key string, val Value)) {
	if v.Kind() != Object {
		return
	}
	r := Reader{Data: v}
	_ = r.Object(func(key Value) error {
		val, err := r.Skip()
		if err != nil {
			return err
		}
		k, _ := key.Text()
		f(k, val)
		return nil
	})
}

// Empty tells whether v is nil or an object without members.
func (v Value) Empty() bool {
	empty := true
	v.Members(func(string, Value) { empty = false })
	return v == nil || v.Kind() == Object && empty
}

// Elements returns the elements of an array, nil for anything else.
func (v Value) Elements() []Value {
	if v.Kind() != Array {
		return nil
	}
	var out []Value
	r := Reader{Data: v}
	_ = r.Array(func(int) error {
		e, err := r.Skip()
		if err == nil {
			out = append(out, e)
		}
		return err
	})
	return out
}

// Str is Text without the ok: "" where v is no string.
func (v Value) Str() string {
	s, _ := v.Text()
	return s
}

// Int reads a whole number; ok is false for anything else.
func (v Value) Int() (n int, ok bool) {
	if v.Kind() != Number {
		return 0, false
	}
	n, err := strconv.Atoi(string(v))
	return n, err == nil
}

// True tells whether v is the word true.
func (v Value) True() bool { return string(v) == "true" }

// Element returns the next value of an array of which Data is a part that begins behind the
// "[" or behind an element, and nil at the array's or the part's end. It expects valid JSON.
func (r *Reader) Element() Value {
	if r.space(); r.Pos < len(r.Data) && r.Data[r.Pos] == ',' {
		r.Pos++
		r.space()
	}
	if r.Pos >= len(r.Data) || r.Data[r.Pos] == ']' {
		return nil
	}
	v, err := r.Skip()
	if err != nil {
		return nil
	}
	return v
}
