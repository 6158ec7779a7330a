package render

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/jpeg"
	"image/png"
	"regexp"
	"strings"
	"testing"

	"github.com/nbterm/nbterm/notebook/mime"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
	"github.com/nbterm/nbterm/themes"
)

// sent draws a block, sends what waits and draws it again.
func sent(t *testing.T, p *Pictures, b Block, width int) (sequences, drawn []string) {
	t.Helper()
	b.Lines(width, 0, 99)
	work := p.Take()
	for _, w := range work {
		w.Do()
	}
	sequences = p.Send(work)
	for _, w := range work {
		w.Done()
	}
	drawn = b.Lines(width, 0, 99)
	check(t, drawn, width)
	return sequences, drawn
}

func kittyBlock(p *Pictures, d *mime.Data) Block {
	return OutputsWith([]mime.Output{{Body: d}}, themes.Dark(), p)[0]
}

func TestKittyPictures(t *testing.T) {
	p := &Pictures{Kitty: true}
	sequences, drawn := sent(t, p, kittyBlock(p, bundle("image/png", square[:20]+"\n"+square[20:]+"\n")), 80)
	if len(sequences) != 1 || sequences[0] != "\x1b_Gq=2,a=T,U=1,f=100,i=16,c=8,r=4,m=0;"+square+"\x1b\\" {
		t.Errorf("sent: %q", sequences)
	}
	first := "\x1b[38;5;16m\U0010EEEE\u0305\u0305\U0010EEEE\u0305\u030D"
	if len(drawn) != 5 || !strings.HasPrefix(drawn[1], first) || !strings.HasPrefix(drawn[2], "\x1b[38;5;16m\U0010EEEE\u030D\u0305") {
		t.Errorf("drawn: %q", drawn)
	}
	b := kittyBlock(p, bundle("image/png", square))
	sent(t, p, b, 80)
	if sequences, _ = sent(t, p, b, 80); sequences != nil {
		t.Errorf("sent again: %q", sequences)
	}
	sequences, drawn = sent(t, p, b, 4)
	if len(sequences) != 2 || sequences[0] != "\x1b_Gq=2,a=d,d=I,i=17\x1b\\" || !strings.Contains(sequences[1], "i=17,c=4,r=2,") || len(drawn) != 8 {
		t.Errorf("at another width: %q, %q", sequences, drawn)
	}
}

func TestKittySlots(t *testing.T) {
	p := &Pictures{Kitty: true}
	var blocks []Block
	for range pictureSlots {
		blocks = append(blocks, kittyBlock(p, bundle("image/png", square)))
		sent(t, p, blocks[len(blocks)-1], 80)
	}
	blocks[0].Lines(80, 0, 9) // so the second was not drawn for longest
	sequences, _ := sent(t, p, kittyBlock(p, bundle("image/png", square)), 80)
	if len(sequences) != 2 || !strings.Contains(sequences[0], "a=d,d=I,i=17") || !strings.Contains(sequences[1], "i=17,") {
		t.Errorf("%q", sequences)
	}
	if sequences, _ = sent(t, p, blocks[0], 80); sequences != nil {
		t.Errorf("the first was sent again: %q", sequences)
	}
	if sequences, _ = sent(t, p, blocks[1], 80); len(sequences) != 2 {
		t.Errorf("the second was not sent again: %q", sequences)
	}
}

// TestKittyPayloads sends pictures that are no PNG, that need a background or cannot be decoded.
func TestKittyPayloads(t *testing.T) {
	var b bytes.Buffer
	noise := image.NewRGBA(image.Rect(0, 0, 200, 100))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(i * i >> 4)
	}
	if err := jpeg.Encode(&b, noise, nil); err != nil {
		t.Fatal(err)
	}
	p := &Pictures{Kitty: true}
	sequences, _ := sent(t, p, kittyBlock(p, bundle("image/jpeg", base64.StdEncoding.EncodeToString(b.Bytes()))), 80)
	if img := payloadOf(t, sequences); img.Bounds() != noise.Bounds() || len(sequences) < 3 {
		t.Errorf("%v in %d sequences", img.Bounds(), len(sequences))
	}
	b.Reset()
	if err := png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	d := bundle("image/png", base64.StdEncoding.EncodeToString(b.Bytes()))
	d.Metadata = rawjson.Value(`{"image/png":{"needs_background":"light"}}`)
	sequences, _ = sent(t, p, kittyBlock(p, d), 80)
	if r, _, _, a := payloadOf(t, sequences).At(1, 1).RGBA(); r != 0xffff || a != 0xffff {
		t.Error("it has no background")
	}
	sequences, drawn := sent(t, p, kittyBlock(p, bundle("image/png", square[:60])), 80)
	if sequences != nil || len(drawn) != 1 {
		t.Errorf("broken: %q %q", sequences, drawn)
	}
}

// payloadOf puts a picture together that was sent in pieces.
func payloadOf(t *testing.T, sequences []string) image.Image {
	t.Helper()
	form := regexp.MustCompile("^\x1b_Gq=2,(?:a=T,U=1,f=100,i=\\d+,c=\\d+,r=\\d+,)?m=([01]);([A-Za-z0-9+/=]+)\x1b\\\\$")
	var text strings.Builder
	for i, s := range sequences {
		m := form.FindStringSubmatch(s)
		if m == nil || len(m[2]) > 4096 || (m[1] == "0") != (i == len(sequences)-1) {
			t.Fatalf("sequence %d of %d: %.90q", i, len(sequences), s)
		}
		text.WriteString(m[2])
	}
	img, err := png.Decode(fromBase64(rawjson.AppendString(nil, text.String(), false)))
	if err != nil {
		t.Fatal(err)
	}
	return img
}
