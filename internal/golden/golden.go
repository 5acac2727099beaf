// Package golden runs before/after text tests stored as txtar files.
//
// A test file has named sections. Some are inputs; the others are the expected outputs of
// the code under test:
//
//	A description of the case.
//	-- in.simt --
//	func @f ...
//	-- out --
//	func @f ...
//
// Run calls a function with all sections of a file and compares the sections it returns
// with the stored ones. The flag -update rewrites the stored sections with the current
// output: `go test ./kernel/... -update`. Review the difference before committing.
//
// The package is independent of compilers; only tests import it.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	_ "github.com/simtc/simtc/internal/testgc"
)

var update = flag.Bool("update", false, "rewrite the expected sections of golden txtar files with what the tests produce")

// Updating reports whether the flag -update is set, for tests that store expected results
// elsewhere.
func Updating() bool { return *update }

// Comment is the key under which Run passes the free text above the first
// section of a file. It cannot be the name of a section.
const Comment = ""

// Run makes one subtest, named after the file, for each file that matches pattern (as in
// filepath.Glob, relative to the package's folder), in sorted order. A pattern that
// matches nothing fails the test.
//
// produce gets the file's sections by name and returns the sections it produces. Each
// must equal the stored section of that name; a missing trailing newline is added to
// both. A produced section that the file lacks is a failure unless it is empty, so a kind
// of output that is usually empty ("errors") need not be stored. A section that is not
// produced counts as an input, so such a kind must always be returned, empty or not.
//
// With -update the stored sections are replaced by the produced text, and missing ones
// are appended by name. Other sections, and the order of all sections, are unchanged.
func Run(t *testing.T, pattern string, produce func(t *testing.T, files map[string]string) map[string]string) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatalf("golden: %v", err)
	}
	if len(paths) == 0 {
		t.Fatalf("golden: no file matches %s", pattern)
	}
	sort.Strings(paths)
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		t.Run(name, func(t *testing.T) {
			ar, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatalf("golden: %v", err)
			}
			got := produce(t, sections(ar))
			if t.Failed() {
				return
			}
			if !*update {
				for _, d := range compare(ar, got) {
					t.Errorf("%s: %s", path, d)
				}
				return
			}
			text, err := rewrite(ar, got)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if old, _ := os.ReadFile(path); string(old) == text {
				return
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatalf("golden: %v", err)
			}
		})
	}
}

// sections returns the archive's contents by name.
func sections(ar *txtar.Archive) map[string]string {
	files := map[string]string{Comment: string(ar.Comment)}
	for _, f := range ar.Files {
		files[f.Name] = string(f.Data)
	}
	return files
}

// sortedKeys returns the names of the produced sections, sorted.
func sortedKeys(got map[string]string) []string {
	names := make([]string, 0, len(got))
	for name := range got {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// newline ends s with a newline unless it is empty, as txtar does when parsing.
func newline(s string) string {
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return s
}
