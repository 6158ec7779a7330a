package hosts

import (
	"fmt"
	"log/slog"
)

// Secret is a token, a key or a password. However it is printed, it does not show; only
// string(s) gives it.
type Secret string

const hidden = "(hidden)"

// Format implements fmt.Formatter.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.shown())) }

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.shown()) }

// MarshalText implements encoding.TextMarshaler, for JSON and TOML.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.shown()), nil }

// UnmarshalText implements encoding.TextUnmarshaler: settings have secrets as they are.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = Secret(text)
	return nil
}

func (s Secret) shown() string {
	if s == "" {
		return ""
	}
	return hidden
}
