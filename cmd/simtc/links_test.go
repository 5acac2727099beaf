package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

var (
	linkTarget  = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	codeSpan    = regexp.MustCompile("`[^`]*`")
	namedAnchor = regexp.MustCompile(`<a id="([^"]+)">`)
	linkText    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// documents returns the paths of all documents, relative to the repository's root.
func documents(t *testing.T) []string {
	paths := []string{"README.md", "CONTRIBUTING.md"}
	require.NoError(t, filepath.WalkDir("docs", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			paths = append(paths, path)
		}
		return err
	}))
	return paths
}

// proseOf returns the lines of a document; those of fenced blocks are empty.
func proseOf(t *testing.T, path string) []string {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	fenced := false
	for i, line := range lines {
		fence := strings.HasPrefix(line, "```")
		if fenced || fence {
			lines[i] = ""
		}
		fenced = fenced != fence
	}
	require.False(t, fenced, "%s: a fenced block has no end", path)
	return lines
}

// anchorsOf returns the anchors in a document, and those that GitHub gives its headings.
func anchorsOf(t *testing.T, path string) map[string]bool {
	anchors := map[string]bool{}
	for _, line := range proseOf(t, path) {
		for _, m := range namedAnchor.FindAllStringSubmatch(line, -1) {
			anchors[m[1]] = true
		}
		title := strings.TrimLeft(line, "#")
		if title == line || !strings.HasPrefix(title, " ") {
			continue
		}
		title = linkText.ReplaceAllString(strings.TrimSpace(title), "$1")
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, title)
		name := slug
		for n := 1; anchors[name]; n++ {
			name = slug + "-" + strconv.Itoa(n)
		}
		anchors[name] = true
	}
	return anchors
}

// TestDocumentLinks follows the relative links of the documents to files and headings.
func TestDocumentLinks(t *testing.T) {
	inRoot(t)
	links := 0
	for _, path := range documents(t) {
		for i, line := range proseOf(t, path) {
			for _, m := range linkTarget.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, "x"), -1) {
				if strings.Contains(m[1], "://") {
					continue
				}
				links++
				file, anchor, anchored := strings.Cut(m[1], "#")
				target := path
				if file != "" {
					target = filepath.Join(filepath.Dir(path), file)
				}
				_, err := os.Stat(target)
				require.NoError(t, err, "%s:%d: %s", path, i+1, m[1])
				if anchored {
					require.Contains(t, anchorsOf(t, target), anchor, "%s:%d: %s", path, i+1, m[1])
				}
			}
		}
	}
	require.Greater(t, links, 30)
}
