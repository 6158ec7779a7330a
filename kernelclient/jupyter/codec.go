package jupyter

import (
	"bytes"
	"crypto/hmac"
	"crypto/md5"  //nolint:gosec // kernels may name it; the key is what protects
	"crypto/sha1" //nolint:gosec // as above
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"strings"
	"time"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// delimiter ends the routing identities of a message on the wire.
const delimiter = "<IDS|MSG>"

// protocolVersion is what our headers claim.
const protocolVersion = "5.3"

var (
	errSignature = errors.New("its signature is wrong")
	errShape     = errors.New("it has not the shape of a message")
)

// codec turns messages into frames and back ("The wire protocol").
type codec struct {
	hash func() hash.Hash
	key  []byte
	in   hash.Hash // for decode alone, which one goroutine calls; nil without a key
}

func newCodec(scheme, key string) (*codec, error) {
	if scheme == "" {
		scheme = "hmac-sha256"
	}
	name, ok := strings.CutPrefix(scheme, "hmac-")
	h := hashes(name)
	if !ok || h == nil {
		return nil, &kernelclient.Error{Kind: kernelclient.Unsupported, What: fmt.Sprintf("the kernel signs with %q, which nbterm does not know", scheme)}
	}
	c := &codec{hash: h, key: []byte(key)}
	if key != "" {
		c.in = hmac.New(h, c.key)
	}
	return c, nil
}

// hashes are Python's names of hashlib.
func hashes(name string) func() hash.Hash {
	switch name {
	case "sha256":
		return sha256.New
	case "sha1":
		return sha1.New
	case "sha224":
		return sha256.New224
	case "sha384":
		return sha512.New384
	case "sha512":
		return sha512.New
	case "md5":
		return md5.New
	case "sha3_256":
		return func() hash.Hash { return sha3.New256() }
	case "sha3_512":
		return func() hash.Hash { return sha3.New512() }
	}
	return nil
}

// encode returns m's frames.
func (c *codec) encode(m Message) [][]byte {
	frames := [][]byte{[]byte(delimiter), nil, m.header(), m.parent(), object(m.Metadata), object(m.Content)}
	if len(c.key) > 0 {
		frames[1] = sign(hmac.New(c.hash, c.key), frames[2:6])
	}
	return append(frames, m.Buffers...)
}

// decode reads frames as they came. The signature is checked over the raw bytes before
// anything of them is parsed; the message shares them.
func (c *codec) decode(frames [][]byte) (Message, error) {
	at := 0
	for at < len(frames) && string(frames[at]) != delimiter {
		at++
	}
	if len(frames) < at+6 {
		return Message{}, errShape
	}
	signature, signed := frames[at+1], frames[at+2:at+6]
	if c.in != nil {
		c.in.Reset()
		if subtle.ConstantTimeCompare(sign(c.in, signed), bytes.ToLower(signature)) != 1 {
			return Message{}, errSignature
		}
	}
	var m Message
	var err error
	if m.Header, err = parseHeader(signed[0]); err != nil {
		return Message{}, err
	}
	if m.Header.Type == "" {
		return Message{}, errShape
	}
	if m.Parent, err = parseHeader(signed[1]); err != nil {
		return Message{}, err
	}
	if m.Metadata, err = rawjson.Parse(signed[2]); err != nil {
		return Message{}, err
	}
	if m.Content, err = rawjson.Parse(signed[3]); err != nil {
		return Message{}, err
	}
	m.WholeHeader, m.WholeParent = signed[0], signed[1]
	m.Buffers = frames[at+6:]
	return m, nil
}

// sign returns the signature of the four frames as lower-case hex.
func sign(mac hash.Hash, frames [][]byte) []byte {
	for _, f := range frames {
		mac.Write(f)
	}
	sum := mac.Sum(nil)
	return hex.AppendEncode(make([]byte, 0, 2*len(sum)), sum)
}

func parseHeader(text []byte) (Header, error) {
	v, err := rawjson.Parse(text)
	if err != nil {
		return Header{}, err
	}
	return readHeader(v), nil
}

// readHeader reads a header that was parsed; zero for {} and for what is no object.
func readHeader(v rawjson.Value) Header {
	var h Header
	v.Members(func(name string, val rawjson.Value) {
		switch name {
		case "msg_id":
			h.ID = val.Str()
		case "msg_type":
			h.Type = val.Str()
		case "session":
			h.Session = val.Str()
		}
	})
	return h
}

// header is m's header on the wire.
func (m Message) header() []byte {
	if m.WholeHeader.Kind() == rawjson.Object {
		return m.WholeHeader
	}
	return encodeHeader(m.Header)
}

// parent is m's parent header on the wire.
func (m Message) parent() []byte {
	if m.WholeParent.Kind() == rawjson.Object {
		return m.WholeParent
	}
	return encodeParent(m.Parent)
}

func encodeHeader(h Header) []byte {
	b := append(encodeIdentity(nil, h), `,"username":"nbterm","date":"`...)
	b = time.Now().UTC().AppendFormat(b, "2006-01-02T15:04:05.000000Z")
	return append(b, `","version":"`+protocolVersion+`"}`...)
}

func encodeParent(h Header) []byte {
	if h == (Header{}) {
		return []byte("{}")
	}
	return append(encodeIdentity(nil, h), '}')
}

// encodeIdentity writes the part of a header that a Header has, without the closing brace.
func encodeIdentity(b []byte, h Header) []byte {
	b = append(append(b, `{"msg_id":`...), quote(h.ID)...)
	b = append(append(b, `,"msg_type":`...), quote(h.Type)...)
	return append(append(b, `,"session":`...), quote(h.Session)...)
}

// object is v, or {} where there is none.
func object(v rawjson.Value) []byte {
	if v == nil {
		return []byte("{}")
	}
	return v
}

// quote writes s as a JSON string that every kernel's reader takes: pure ASCII. Bytes
// that are no UTF-8 become U+FFFD, because a kernel answers nothing at all to a message
// that it cannot decode.
func quote(s string) rawjson.Value {
	b := rawjson.AppendString(nil, s, true)
	for i, c := range b {
		if c >= 0x80 {
			return append(b[:i:i], strings.ToValidUTF8(string(b[i:]), "\ufffd")...)
		}
	}
	return b
}
