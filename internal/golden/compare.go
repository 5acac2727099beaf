package golden

import (
	"fmt"
	"sort"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
	"golang.org/x/tools/txtar"
)

// compare returns one message for each produced section that differs from the stored one,
// in the order of the file, then for those missing in the file.
func compare(ar *txtar.Archive, got map[string]string) []string {
	var out []string
	stored := map[string]bool{}
	for _, f := range ar.Files {
		stored[f.Name] = true
		text, ok := got[f.Name]
		if !ok || newline(text) == newline(string(f.Data)) {
			continue
		}
		diff, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
			A:        difflib.SplitLines(newline(string(f.Data))),
			B:        difflib.SplitLines(newline(text)),
			FromFile: "stored",
			ToFile:   "produced",
			Context:  3,
		})
		if err != nil {
			diff = text
		}
		out = append(out, fmt.Sprintf("section %q differs (-update rewrites it)\n%s", f.Name, diff))
	}
	for _, name := range sortedKeys(got) {
		if !stored[name] && got[name] != "" {
			out = append(out, fmt.Sprintf("section %q is produced but not stored (-update adds it)\n%s", name, newline(got[name])))
		}
	}
	return out
}

// rewrite returns the text of the file with the produced sections replaced.
func rewrite(ar *txtar.Archive, got map[string]string) (string, error) {
	next := &txtar.Archive{Comment: ar.Comment}
	stored := map[string]bool{}
	for _, f := range ar.Files {
		stored[f.Name] = true
		if text, ok := got[f.Name]; ok {
			f.Data = []byte(newline(text))
		}
		next.Files = append(next.Files, f)
	}
	for _, name := range sortedKeys(got) {
		if !stored[name] && got[name] != "" {
			next.Files = append(next.Files, txtar.File{Name: name, Data: []byte(newline(got[name]))})
		}
	}
	text := string(txtar.Format(next))
	// A produced line that looks like a section header would split its section.
	back := txtar.Parse([]byte(text))
	if !sameSections(next, back) {
		return "", fmt.Errorf("golden: a produced section contains a line that looks like a txtar header (%s)", strings.Join(sortedKeys(got), ", "))
	}
	return text, nil
}

func sameSections(a, b *txtar.Archive) bool {
	names := func(ar *txtar.Archive) string {
		var s []string
		for _, f := range ar.Files {
			s = append(s, fmt.Sprintf("%s %d", f.Name, len(f.Data)))
		}
		sort.Strings(s)
		return strings.Join(s, "\n")
	}
	return names(a) == names(b)
}
