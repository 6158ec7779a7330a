package main

import (
	"bufio"
	"errors"
	"io"
	"os"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/nbterm/nbterm/notebook"
	"github.com/nbterm/nbterm/render"
	"github.com/nbterm/nbterm/themes"
)

func newShow() *cobra.Command {
	var width int
	var color string
	cmd := &cobra.Command{
		Use:   "show FILE",
		Short: "Print a notebook as the screen shows it",
		Args:  oneFile,
		RunE:  func(_ *cobra.Command, args []string) error { return show(args[0], width, color) },
	}
	cmd.Flags().IntVar(&width, "width", 0, "columns (default: the terminal's, else 80)")
	cmd.Flags().StringVar(&color, "color", "auto", "auto, always or never")
	return cmd
}

func show(path string, width int, color string) error {
	theme, err := theme(color)
	if err != nil {
		return err
	}
	if width < 0 {
		return errors.New("--width must be a positive number of columns")
	}
	if width == 0 {
		width = columns()
	}
	doc, _, err := read(path, false)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(os.Stdout, 64<<10)
	opt := render.ShowOptions{Width: width, Color: !theme.NoColor, Theme: theme, NoPictures: os.Getenv("NBTERM_IMAGES") == "off"}
	err = render.Notebook(inColours(out, os.Environ()), shown(doc), opt)
	if err == nil {
		err = out.Flush()
	}
	return err
}

// inColours maps the 24-bit colours of outputs and pictures to those that the terminal has.
func inColours(w io.Writer, env []string) io.Writer {
	profile := colorprofile.Env(env)
	switch {
	case profile == colorprofile.TrueColor:
		return w
	case profile < colorprofile.ANSI: // whoever wants colours there gets those that most have
		profile = colorprofile.ANSI256
	}
	return &colorprofile.Writer{Forward: w, Profile: profile}
}

// shown is the document as render draws it.
func shown(doc *notebook.Document) []render.Cell {
	language := doc.Language()
	if language == "" {
		language = "python"
	}
	var cells []render.Cell
	for _, c := range doc.Cells() {
		cells = append(cells, render.Cell{Type: string(c.Type), Source: c.Source, Language: language, Count: c.Count, Outputs: c.Outputs(), Attached: c.Attachments()})
	}
	return cells
}

// theme is what --color asks for: auto is colour on a terminal that may have it.
func theme(color string) (themes.Theme, error) {
	switch color {
	case "always":
		return themes.Dark(), nil
	case "never":
		return themes.NoColor(), nil
	case "auto":
		if !term.IsTerminal(os.Stdout.Fd()) || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
			return themes.NoColor(), nil
		}
		return themes.Dark(), nil
	}
	return themes.Theme{}, errors.New("--color is one of auto, always, never")
}

func columns() int {
	if w, _, err := term.GetSize(os.Stdout.Fd()); err == nil && w > 0 {
		return w
	}
	return 80
}
