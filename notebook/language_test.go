package notebook

import "testing"

func TestCellLanguage(t *testing.T) {
	for metadata, want := range map[string]string{
		`{}`:                    "",
		`{"language":"Bash"}`:   "bash",
		`{"language":3}`:        "",
		`{"language":["bash"]}`: "",
		`{"vscode":{"languageId":"shellscript"}}`: "bash",
		`{"vscode":"x"}`: "",
		`{"polyglot_notebook":{"kernelName":"fsharp"}}`:            "fsharp",
		`{"dotnet_interactive":{"language":"csharp"}}`:             "csharp",
		`{"language":"r","vscode":{"languageId":"python"}}`:        "r",
		`{"tags":[],"vscode":{"languageId":" javascript "},"z":1}`: "javascript",
	} {
		for typ, want := range map[string]string{"code": want, "raw": ""} {
			d, err := Parse([]byte(`{"cells":[{"cell_type":"` + typ + `","metadata":` + metadata + `,"source":"x"` +
				map[string]string{"code": `,"outputs":[],"execution_count":null`}[typ] + `}],"metadata":{},"nbformat":4,"nbformat_minor":4}`))
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Cells()[0].Language(); got != want {
				t.Errorf("%s cell with %s: %q, want %q", typ, metadata, got, want)
			}
		}
	}
}
