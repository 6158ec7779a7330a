package ipynb

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// File is a notebook file as it was read. It is immutable and shares the bytes given
// to Parse; nobody may change those. It may be used from any goroutine.
type File struct {
	data         []byte
	major, minor int
	top          object
	metadata     rawjson.Value
	cells        []Cell
	list         array // the cells list; of no use where readOnly is set
	readOnly     string
	from         int // the nbformat that it was converted from, 0 for none
}

// Cell is a cell as the file has it. An absent field is nil.
type Cell struct {
	Type                                       string // "" where the file gives none
	ID, Source, Outputs, Metadata, Attachments rawjson.Value
	Count                                      int // 0 for null

	bare bool // it is no object: all of it is its Source
}

// Text is the cell's source with \n line ends only.
func (c Cell) Text() string { return newlines(sourceText(c.Source)) }

// newlines makes every \r\n and lone \r a \n.
func newlines(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// Parse reads a notebook of any nbformat. What is no notebook is a *FormatError; an
// nbformat newer than 4 opens read-only, an older one is converted: see Converted. Outputs are passed over, not decoded.
func Parse(data []byte) (*File, error) {
	if err := looks(data); err != nil {
		return nil, err
	}
	f := &File{data: data, major: -1}
	r := &rawjson.Reader{Data: data}
	if bytes.HasPrefix(data, bom) {
		r.Pos = len(bom)
	}
	if err := f.read(r); err != nil {
		return nil, explain(data, err)
	}
	if err := f.judge(); err != nil {
		return nil, err
	}
	return f, nil
}

// read walks the whole file once.
func (f *File) read(r *rawjson.Reader) error {
	if r.Peek() != rawjson.Object {
		if _, err := r.Skip(); err != nil {
			return err
		}
		return r.End()
	}
	top, err := readObject(r, func(name string) error {
		if name == "cells" && r.Peek() == rawjson.Array {
			return f.readCells(r)
		}
		v, err := r.Skip()
		switch name {
		case "nbformat":
			f.major, _ = v.Int()
		case "nbformat_minor":
			f.minor, _ = v.Int()
		case "metadata":
			f.metadata = v
		case "cells":
			f.list = array{}
		}
		return err
	})
	f.top = top
	if err != nil {
		return err
	}
	return r.End()
}

func (f *File) readCells(r *rawjson.Reader) error {
	f.cells = nil
	list := array{open: r.Pos}
	err := r.Array(func(int) error {
		start := r.Pos
		c, err := readCell(r)
		if err != nil {
			return err
		}
		f.cells = append(f.cells, c)
		list.elements = append(list.elements, span{start, r.Pos})
		return nil
	})
	list.close = r.Pos - 1
	f.list = list
	return err
}

func readCell(r *rawjson.Reader) (Cell, error) {
	var c Cell
	if r.Peek() != rawjson.Object {
		v, err := r.Skip()
		return Cell{Source: v, bare: true}, err
	}
	err := r.Object(func(key rawjson.Value) error {
		v, err := r.Skip()
		if err != nil {
			return err
		}
		switch keyName(key) {
		case "cell_type":
			c.Type = v.Str()
		case "id":
			c.ID = v
		case "source":
			c.Source = v
		case "outputs":
			c.Outputs = v
		case "metadata":
			c.Metadata = v
		case "attachments":
			c.Attachments = v
		case "execution_count":
			c.Count, _ = v.Int()
		}
		return nil
	})
	return c, err
}

// judge says what sort of notebook was read.
func (f *File) judge() error {
	switch {
	case f.top.close == 0:
		return notNotebook("it does not begin with {")
	case f.major == -1:
		return notNotebook(`it has no "nbformat" number`)
	case f.major == 4 && f.list.close == 0:
		return notNotebook(`it has no "cells" list`)
	case f.major == 4:
		return nil
	case f.major > 4:
		f.readOnly = fmt.Sprintf("nbformat %d is newer than this program knows (4): read-only", f.major)
	case f.major > 0:
		return f.adoptOld()
	default:
		return notNotebook(fmt.Sprintf("nbformat %d does not exist", f.major))
	}
	return nil
}

// Cells returns the cells in file order. The caller may not change them. Cells of older
// formats are as nbformat 4 has them.
func (f *File) Cells() []Cell { return f.cells }

// Metadata returns the notebook's metadata, nil where the file has none.
func (f *File) Metadata() rawjson.Value { return f.metadata }

// Version returns nbformat and nbformat_minor; an absent minor is 0.
func (f *File) Version() (major, minor int) { return f.major, f.minor }

// HasIDs tells whether cells of this file must have ids (nbformat 4.5, JEP 62).
func (f *File) HasIDs() bool { return f.major == 4 && f.minor >= 5 }

// ReadOnly is "" or the reason why the file can only be looked at.
func (f *File) ReadOnly() string { return f.readOnly }

// Converted is the nbformat of the file that was read where that is older than 4, else 0.
// All else is about the converted notebook: writing it makes the file nbformat 4.
func (f *File) Converted() int { return f.from }

// Bytes returns the file as it was read, or as it was converted. The caller may not change them.
func (f *File) Bytes() []byte { return f.data }
