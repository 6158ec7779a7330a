package jupyter

import (
	"context"
	"encoding/hex"
	"strings"

	"github.com/nbterm/nbterm/kernelclient"
	"github.com/nbterm/nbterm/notebook/mime/rawjson"
)

// folderRequest runs no code and is neither counted nor remembered; its expression is
// evaluated all the same. The folder comes as hexadecimal digits, which need no reading of
// Python's quotes and escapes and carry names that are no text.
const folderRequest = `{"code":"","silent":true,"store_history":false,"allow_stdin":false,"stop_on_error":false,` +
	`"user_expressions":{"nbterm":"__import__('os').getcwdb().hex()"}}`

var _ kernelclient.Folder = (*driver)(nil)

// Folder implements kernelclient.Folder, for Python. No other language's kernels are known to
// evaluate expressions beside code.
func (d *driver) Folder(ctx context.Context) (string, error) {
	if g := d.current(); g != nil && !g.speaksPython() {
		return "", kernelclient.NoFolder()
	}
	const what = "question for its folder"
	m, err := d.inquire(ctx, what, "execute_request", rawjson.Value(folderRequest))
	if err != nil {
		return "", err
	}
	return folderIn(what, m.Content)
}

func (g *generation) speaksPython() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.language.Get("name").Str() == "python"
}

// folderIn reads the reply to folderRequest. A kernel that knows no expressions leaves them out.
func folderIn(what string, content rawjson.Value) (string, error) {
	answer := content.Get("user_expressions").Get("nbterm")
	if err := refusal(what, answer); err != nil {
		return "", err // the folder was deleted, say
	}
	digits := strings.Trim(answer.Get("data").Get("text/plain").Str(), `'"`)
	dir, err := hex.DecodeString(digits)
	if err != nil || len(dir) == 0 {
		return "", kernelclient.NoFolder()
	}
	return string(dir), nil
}
