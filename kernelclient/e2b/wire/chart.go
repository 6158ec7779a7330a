package wire

import (
	"cmp"
	"strconv"

	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// ChartType says what a chart shows.
type ChartType string

// The types. Whatever else a chart says it is, its ChartType is that word.
const (
	LineChart    ChartType = "line"
	ScatterChart ChartType = "scatter"
	BarChart     ChartType = "bar"
	PieChart     ChartType = "pie"
	BoxChart     ChartType = "box_and_whisker"
	SuperChart   ChartType = "superchart" // several charts in one figure
	UnknownChart ChartType = "unknown"
)

// Chart is what a figure shows, as numbers. The lists that its Type does not have are nil.
type Chart struct {
	Type   ChartType
	Title  string // "" where it has none, as all other texts here
	X, Y   Axis
	Series []Series // line, scatter
	Bars   []Bar
	Slices []Slice
	Boxes  []Box
	Charts []Chart       // superchart
	Raw    rawjson.Value // the object it was read from, with what is not known here
}

// Axis is one of the two axes of line, scatter, bar and box charts. Only lines and scatters
// have ticks and a scale.
type Axis struct {
	Label      string // as it was written, its unit included
	Unit       string // the part in (…) or […] of the label
	Ticks      []Scalar
	TickLabels []string
	Scale      string // linear, datetime, categorical, log, symlog, logit, function, functionlog, asinh
}

// Scalar is a number, or a text: a date or a category.
type Scalar struct {
	Number float64
	Text   string // "" for a number
}

// Series is one line, or one cloud of points.
type Series struct {
	Label  string
	Points [][2]Scalar
}

// Bar is one bar of a group.
type Bar struct {
	Label, Group string
	Value        Scalar
}

// Slice is one slice of a pie; Angle is in degrees.
type Slice struct {
	Label         string
	Angle, Radius float64
}

// Box is one box with its whiskers, Min and Max.
type Box struct {
	Label                                          string
	Min, FirstQuartile, Median, ThirdQuartile, Max float64
	Outliers                                       []float64
}

// ParseChart reads a chart. Missing keys are empty, an element that is none is skipped: it
// never fails. ok is false for what is no chart at all, as the {} of a blank figure.
func ParseChart(v rawjson.Value) (c Chart, ok bool) {
	f := fields(v)
	if f["type"].Str() == "" {
		return Chart{}, false
	}
	c = Chart{Type: ChartType(f["type"].Str()), Title: f["title"].Str(), X: axis(f, "x"), Y: axis(f, "y"), Raw: v}
	for _, e := range f["elements"].Elements() {
		if e.Kind() == rawjson.Object {
			c.add(e)
		}
	}
	return c, true
}

func fields(v rawjson.Value) map[string]rawjson.Value {
	f := map[string]rawjson.Value{}
	v.Members(func(key string, val rawjson.Value) { f[key] = val })
	return f
}

func axis(f map[string]rawjson.Value, name string) Axis {
	a := Axis{Label: f[name+"_label"].Str(), Unit: f[name+"_unit"].Str(), Scale: f[name+"_scale"].Str()}
	for _, t := range f[name+"_ticks"].Elements() {
		a.Ticks = append(a.Ticks, scalar(t))
	}
	for _, t := range f[name+"_tick_labels"].Elements() {
		a.TickLabels = append(a.TickLabels, text(t))
	}
	return a
}

// add takes one element, which is of the chart's type.
func (c *Chart) add(v rawjson.Value) {
	f := fields(v)
	switch c.Type {
	case LineChart, ScatterChart:
		s := Series{Label: text(f["label"])}
		for _, p := range f["points"].Elements() {
			if xy := p.Elements(); len(xy) == 2 {
				s.Points = append(s.Points, [2]Scalar{scalar(xy[0]), scalar(xy[1])})
			}
		}
		c.Series = append(c.Series, s)
	case BarChart:
		c.Bars = append(c.Bars, Bar{text(f["label"]), text(f["group"]), scalar(f["value"])})
	case PieChart:
		c.Slices = append(c.Slices, Slice{text(f["label"]), number(f["angle"]), number(f["radius"])})
	case BoxChart:
		b := Box{
			Label: text(f["label"]), Min: number(f["min"]), FirstQuartile: number(f["first_quartile"]),
			Median: number(f["median"]), ThirdQuartile: number(f["third_quartile"]), Max: number(f["max"]),
		}
		for _, o := range f["outliers"].Elements() {
			b.Outliers = append(b.Outliers, number(o))
		}
		c.Boxes = append(c.Boxes, b)
	case UnknownChart:
	case SuperChart:
		if inner, ok := ParseChart(v); ok {
			c.Charts = append(c.Charts, inner)
		}
	}
}

// text is a string's text, and of anything else its JSON.
func text(v rawjson.Value) string {
	if v.Kind() == rawjson.Null {
		return ""
	}
	return cmp.Or(v.Str(), textOf(v))
}

func textOf(v rawjson.Value) string {
	if v.Kind() == rawjson.String {
		return ""
	}
	return string(v)
}

func number(v rawjson.Value) float64 { return scalar(v).Number }

func scalar(v rawjson.Value) Scalar {
	if v.Kind() == rawjson.Number {
		n, _ := strconv.ParseFloat(string(v), 64)
		return Scalar{Number: n}
	}
	return Scalar{Text: text(v)}
}
