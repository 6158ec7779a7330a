// Package trust is for clients of servers whose certificates are checked: whom to trust, and
// what to say of a connection that came to nothing.
//
// It knows no protocol.
package trust

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"

	"github.com/nbterm/nbterm/kernelclient"
)

// Config is how a server's certificate is checked: against the system's and those in a file,
// "" for none, or not at all. A file that cannot be used is Invalid.
func Config(caFile string, insecure bool) (*tls.Config, error) {
	conf := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: insecure} //nolint:gosec // the user's word, for this server alone
	if caFile == "" {
		return conf, nil
	}
	pem, err := os.ReadFile(caFile)
	if err == nil {
		if conf.RootCAs, err = x509.SystemCertPool(); err != nil {
			conf.RootCAs, err = x509.NewCertPool(), nil
		}
		if !conf.RootCAs.AppendCertsFromPEM(pem) {
			err = errors.New("it holds no certificate (PEM)")
		}
	}
	if err != nil {
		return nil, &kernelclient.Error{Kind: kernelclient.Invalid, What: "the file of certificates " + caFile + " cannot be used", Err: err}
	}
	return conf, nil
}

// Plain is a network error without the addresses that it repeats.
func Plain(err error) string {
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		return "no machine is called " + dns.Name
	case errors.As(err, &op):
		inner := op.Err
		for deeper := (*net.OpError)(nil); errors.As(inner, &deeper); {
			inner = deeper.Err
		}
		if call := errors.Unwrap(inner); call != nil {
			inner = call
		}
		return inner.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was closed"
	}
	return err.Error()
}

// Trouble says what is wrong with a server's certificate, "" for nothing.
func Trouble(err error) (why, next string) {
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &authority):
		return "its certificate is signed by nobody that this machine knows", "name a file with the certificate (ca_file), or trust any for this server (insecure)"
	case errors.As(err, &name):
		return "its certificate is for another name", "use the name that the certificate is for"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate has expired, or is not valid yet", "the server needs a new one; or this machine's clock is wrong"
	case errors.As(err, &invalid):
		return "its certificate is not valid: " + invalid.Error(), ""
	}
	return "", ""
}
