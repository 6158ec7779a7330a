package render

import (
	"encoding/base64"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"strings"

	"github.com/nbterm/nbterm/notebook/mime"
)

// pictureName is what stands for a picture: type, size in pixels where its header says
// it, size in bytes.
func pictureName(e *mime.Entry) string {
	text := mime.JoinText(e.Value)
	if e.Type == "image/svg+xml" {
		return e.Type + ", " + byteSize(int64(len(text)))
	}
	size := byteSize(decodedSize(text))
	if c, ok := dimensions(e.Type, text); ok {
		return fmt.Sprintf("%s %dx%d, %s", e.Type, c.Width, c.Height, size)
	}
	return e.Type + ", " + size
}

// decodedSize is how many bytes a base64 text stands for.
func decodedSize(text string) int64 {
	n := int64(len(text))
	n -= int64(strings.Count(text, "\n") + strings.Count(text, "="))
	return n * 3 / 4
}

// dimensions reads a picture's header only.
func dimensions(typ, text string) (image.Config, bool) {
	r := base64.NewDecoder(base64.StdEncoding, strings.NewReader(text))
	var decode func(io.Reader) (image.Config, error)
	switch typ {
	case "image/png":
		decode = png.DecodeConfig
	case "image/jpeg", "image/jpg":
		decode = jpeg.DecodeConfig
	default:
		return image.Config{}, false
	}
	c, err := decode(r)
	return c, err == nil
}
