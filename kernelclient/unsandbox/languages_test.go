package unsandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestLanguageOf(t *testing.T) {
	for name, want := range map[string]string{
		"script.py": "python", "/path/to/script.py": "python", "script.PY": "python", ".py": "python", "..py": "python",
		"app.test.py": "python", "app.js": "javascript", "script.JS": "javascript", "app.ts": "typescript", "main.go": "go",
		"main.rs": "rust", "main.c": "c", "main.cpp": "cpp", "main.cc": "cpp", "main.cxx": "cpp", "Main.java": "java",
		"script.rb": "ruby", "index.php": "php", "script.sh": "bash", "script.r": "r", "data.R": "r", "script.pl": "perl",
		"script.lua": "lua", "test.kt": "kotlin", "app.ex": "elixir", "prog.erl": "erlang", "test.nim": "nim", "script.d": "d",
		"script.zig": "zig", "a.P": "prolog", "a.4TH": "forth", "a.ps1": "powershell",
		"x.": "", "archive.tar.gz": "", ".gitignore": "", "Makefile": "", "": "", "dir.py/Makefile": "", "a.py ": "", "n.ipynb": "",
	} {
		if got := LanguageOf(name, nil); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	for line, want := range map[string]string{
		"#!/usr/bin/env python3\nprint(1)":   "python",
		"#!/usr/bin/python3.12":              "python",
		"#!/usr/bin/env -S FOO=1 node --x":   "javascript",
		"#! /bin/sh -e":                      "bash",
		"#!/usr/share/x":                     "",
		"#!/usr/bin/env node\n# see /python": "javascript",
		"#!/usr/bin/env Rscript":             "r",
		"#!/usr/bin/perl5.36":                "perl",
		"# /usr/bin/python":                  "",
		"#!":                                 "",
		"#!/usr/bin/env":                     "",
	} {
		if got := LanguageOf("a", []byte(line)); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestResolve(t *testing.T) {
	l := Languages{Names: []string{"python", "javascript", "bash", "c++", "r"}, Aliases: map[string]string{"py": "python", "sh": "python"}}
	for name, want := range map[string]string{
		"python": "python", "Python": "python", "python3": "python", "ipython": "python", "py": "python", "node": "javascript",
		"sh": "python", "zsh": "bash", "R": "r", "ir": "r", "c++": "c++", "cpp": "", "brainfuck": "", "": "",
	} {
		if got := l.Resolve(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestLanguageCache(t *testing.T) {
	now := time.Now()
	file := filepath.Join(t.TempDir(), ".unsandbox", "languages.json")
	if _, _, ok := readCache(file, now); ok {
		t.Error("no file is a hit")
	}
	var hundred []string
	for i := range 100 {
		hundred = append(hundred, strings.Repeat("x", i+1))
	}
	writeCache(file, Languages{Names: hundred, Aliases: map[string]string{"a": "x"}}, now)
	l, age, ok := readCache(file, now)
	if !ok || !slices.Equal(l.Names, hundred) || l.Aliases["a"] != "x" || age > time.Minute {
		t.Errorf("%v %v %v", l, age, ok)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if err := os.Chtimes(file, now, now.Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, age, ok := readCache(file, now); !ok || age < fresh {
		t.Errorf("an old one: %v %v", age, ok)
	}
	for text, hit := range map[string]bool{
		"invalid json {{{": false, `{"timestamp":1}`: false, `{"languages":null}`: false, `{"languages":"x"}`: false,
		`{"languages":[]}`: true, `{"languages":["a"],"count":1,"aliases":null}`: true,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, ok := readCache(file, now); ok != hit {
			t.Errorf("%s: %v", text, ok)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := readCache(file, now); ok {
		t.Error("a folder is a hit")
	}
	writeCache(file, Languages{Names: hundred}, now) // it is an error of nobody's
	if entries, err := os.ReadDir(filepath.Dir(file)); err != nil || len(entries) != 1 {
		t.Errorf("%v %v", entries, err)
	}
}
