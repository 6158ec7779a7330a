package batch_test

import (
	"encoding/json"
	"testing"

	"github.com/nbterm/nbterm/notebook/session/batch"
)

func TestRecordInTheShapeOfE2B(t *testing.T) {
	for code, want := range map[string]string{
		"result 42": `{"results": [{"text": "42", "extra": {}, "is_main_result": true}], "logs": {"stdout": [], "stderr": []}, "error": null, "execution_count": 1}`,
		"print a":   `{"results": [], "logs": {"stdout": ["a"], "stderr": []}, "error": null, "execution_count": 1}`,
		"fail":      `{"results": [], "logs": {"stdout": [], "stderr": []}, "error": {"name": "ValueError", "value": "stop here", "traceback": "tb"}, "execution_count": 1}`,
		"die":       `{"results": [], "logs": {"stdout": [], "stderr": []}, "error": {"name": "died", "value": "the kernel was killed by SIGKILL", "traceback": ""}, "execution_count": 1}`,
	} {
		record := &batch.Record{}
		_ = snippet(t, batch.Snippet{Code: code, Record: record}) // the record says it too
		if got := string(record.AppendE2B(nil)); got != want || !json.Valid([]byte(got)) {
			t.Errorf("%s:\ngot  %s\nwant %s", code, got, want)
		}
	}
}
