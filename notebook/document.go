package notebook

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nbterm/nbterm/notebook/ipynb"
	"github.com/nbterm/nbterm/notebook/mime"
)

// FormatError says why a file is no notebook, and what to do next.
type FormatError = ipynb.FormatError

// The errors of a Document that callers tell apart.
var (
	ErrReadOnly = ipynb.ErrReadOnly
	ErrNoCell   = errors.New("there is no such cell")
)

// Document is a notebook in memory. One goroutine owns it; Cells and Snapshots that it
// hands out may be used anywhere.
type Document struct {
	file     *ipynb.File
	base     []*Cell // the file's cells as they were read; never changed
	cells    []*Cell // replaced, never changed in place: snapshots share it
	byKey    map[CellKey]*Cell
	removed  map[CellKey]*Cell // cells that only the history still has
	metadata []ipynb.MetadataEdit

	prefix  string          // of the keys: no other document has it
	ids     map[string]bool // every nbformat id that any cell has had
	keys    uint64          // counters
	version uint64
	state   uint64 // identity of what the history made; undo brings an old one back
	other   uint64 // changes that are no undo steps: runs, kernel metadata
	saved   struct{ state, other uint64 }

	history history
}

const blank = `{
 "cells": [],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
`

// New returns a document in nbformat 4.5 with one empty code cell. It counts as unchanged.
func New() *Document {
	file, err := ipynb.Parse([]byte(blank))
	if err != nil {
		file = &ipynb.File{} // cannot be: blank is a notebook
	}
	d := newDocument(file)
	c := d.makeCell(NewCell{Type: Code})
	d.cells = []*Cell{c}
	d.byKey[c.Key] = c
	return d
}

// Parse makes a document of a file's bytes, which nobody may change afterwards. What is
// no notebook is an *ipynb.FormatError.
func Parse(data []byte) (*Document, error) {
	file, err := ipynb.Parse(data)
	if err != nil {
		return nil, err
	}
	return newDocument(file), nil
}

func newDocument(file *ipynb.File) *Document {
	d := &Document{prefix: rand.Text()[:10], file: file, byKey: map[CellKey]*Cell{}, removed: map[CellKey]*Cell{}, ids: map[string]bool{}, history: history{limit: historyBytes}}
	for i, c := range file.Cells() {
		cell := d.readCell(c, i)
		d.base = append(d.base, cell)
		d.byKey[cell.Key] = cell
		d.ids[cell.ID] = true
	}
	d.cells = d.base
	return d
}

func (d *Document) newKey() CellKey {
	d.keys++
	return CellKey(d.prefix + "-" + strconv.FormatUint(d.keys, 10))
}

func (d *Document) tick() uint64 {
	d.version++
	return d.version
}

// newID returns an id that no cell of the document has (JEP 62), in nbformat's own form.
func (d *Document) newID() string {
	for {
		var b [4]byte
		_, _ = rand.Read(b[:]) // never fails (crypto/rand)
		if id := hex.EncodeToString(b[:]); !d.ids[id] {
			d.ids[id] = true
			return id
		}
	}
}

// Cells returns the cells in order. The caller may not change the list; it stays as it
// is while the document goes on.
func (d *Document) Cells() []*Cell { return d.cells }

// Cell returns the cell called key, nil where there is none.
func (d *Document) Cell(key CellKey) *Cell { return d.byKey[key] }

// Knows tells whether key is of a cell that the document has or had.
func (d *Document) Knows(key CellKey) bool { return d.byKey[key] != nil || d.removed[key] != nil }

// Index returns the cell's place, -1 where there is none.
func (d *Document) Index(key CellKey) int {
	if d.byKey[key] == nil {
		return -1
	}
	return slices.IndexFunc(d.cells, func(c *Cell) bool { return c.Key == key })
}

// ReadOnly is "" or the reason why the document cannot be changed.
func (d *Document) ReadOnly() string { return d.file.ReadOnly() }

// Converted is the nbformat of the file that was read where that is older than 4, else 0.
// A snapshot is nbformat 4: it is the caller's part to ask before the file becomes that.
func (d *Document) Converted() int { return d.file.Converted() }

// Notices are short remarks about the file for the user, such as ids that occur twice.
func (d *Document) Notices() []string {
	return append(d.idNotices(), d.foreignNotices()...)
}

// foreignNotices name the cells that are not as nbformat has them.
func (d *Document) foreignNotices() []string {
	var at []string
	for i, c := range d.file.Cells() {
		if c.Foreign() {
			at = append(at, strconv.Itoa(i+1))
		}
	}
	if len(at) == 0 {
		return nil
	}
	if len(at) > 5 {
		at = append(at[:5], "…")
	}
	return []string{"cell " + strings.Join(at, ", ") + ": not as nbformat has it; what is no text is shown as JSON, and what is not changed stays as it is"}
}

func (d *Document) idNotices() []string {
	if !d.file.HasIDs() {
		return nil
	}
	seen := map[string]bool{}
	twins, bad := 0, 0
	for _, c := range d.base {
		switch {
		case !validID(c.ID):
			bad++
		case seen[c.ID]:
			twins++
		}
		seen[c.ID] = true
	}
	switch {
	case twins > 0:
		return []string{fmt.Sprintf("%d cell ids occur twice; they are left as they are", twins)}
	case bad > 0:
		return []string{fmt.Sprintf("%d cell ids are missing or invalid; they are left as they are", bad)}
	}
	return nil
}

// validID tells whether id is one by the nbformat 4.5 schema.
func validID(id string) bool {
	if len(id) < 1 || len(id) > 64 {
		return false
	}
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// SetOutputs gives a cell what a run put out. It marks the document as changed and is no
// undo step: undoing something else never takes it back, not even when the cell was
// deleted meanwhile. The list belongs to the document from now on.
func (d *Document) SetOutputs(key CellKey, outs []mime.Output, count int) error {
	if err := d.writable(); err != nil {
		return err
	}
	c := d.byKey[key]
	if c == nil {
		c = d.removed[key]
	}
	if c == nil {
		return fmt.Errorf("outputs of cell %s: %w", key, ErrNoCell)
	}
	if c.Type != Code {
		return fmt.Errorf("outputs of cell %s: it is a %s cell", key, c.Type)
	}
	n := *c
	n.outputs, n.Count = &outputs{list: outs}, count
	if n.from >= 0 && n.ID == "" && d.file.HasIDs() && d.file.Cells()[n.from].ID == nil {
		n.ID = d.newID() // nbformat 4.5 demands one, and this cell's bytes change anyway
	}
	d.put(&n)
	d.other++
	return nil
}

// put replaces the cell with n's key by n, wherever it is.
func (d *Document) put(n *Cell) {
	n.Version = d.tick()
	if d.byKey[n.Key] == nil {
		d.removed[n.Key] = n
		return
	}
	i := d.Index(n.Key)
	cells := slices.Clone(d.cells)
	cells[i] = n
	d.cells = cells
	d.byKey[n.Key] = n
}

func (d *Document) writable() error {
	if reason := d.file.ReadOnly(); reason != "" {
		return fmt.Errorf("%w: %s", ErrReadOnly, reason)
	}
	return nil
}

// Copy returns what the cells called keys are made of, in the document's order. Cells
// inserted from it get keys and ids of their own.
func (d *Document) Copy(keys ...CellKey) []NewCell {
	want := make(map[CellKey]bool, len(keys))
	for _, k := range keys {
		want[k] = true
	}
	var out []NewCell
	for _, c := range d.cells {
		if want[c.Key] {
			out = append(out, NewCell{
				Type: c.Type, Source: c.Source, Metadata: c.metadata, Attachments: c.attached,
				Outputs: c.Outputs(), Count: c.Count,
			})
		}
	}
	return out
}
