package clc_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// sources returns the .cl files of a folder.
func sources(t testing.TB, folder string) map[string]string {
	paths, err := filepath.Glob(filepath.Join(folder, "*.cl"))
	require.NoError(t, err)
	out := map[string]string{}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		require.NoError(t, err)
		out[filepath.Base(p)] = string(text)
	}
	return out
}

// includeFrom returns an Include function that reads files from one folder.
func includeFrom(dir string) func(name, from string, angled bool) (string, string, error) {
	return func(name, from string, angled bool) (string, string, error) {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		return path, string(text), err
	}
}
