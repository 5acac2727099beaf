package wasm

import (
	"strconv"
	"strings"
)

// identifier replaces characters that the text format does not allow in names. The name
// section follows the same rule, so that a stack trace has the names that WAT prints.
func identifier(s string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r >= 0x7F || strings.ContainsRune("\",;=()[]{}", r) {
			return '_'
		}
		return r
	}, s)
}

// unique makes the identifiers of names distinct: the first keeps its name, later ones get
// .2, .3, …; empty ones stay empty.
func unique(names []string) []string {
	used := map[string]bool{}
	next := map[string]int{}
	for i, n := range names {
		names[i] = identifier(n)
		used[names[i]] = true
	}
	seen := map[string]bool{}
	for i, n := range names {
		if n == "" {
			continue
		}
		for seen[names[i]] || names[i] != n && used[names[i]] {
			next[n] = max(next[n], 1) + 1
			names[i] = n + "." + strconv.Itoa(next[n])
		}
		seen[names[i]] = true
	}
	return names
}

// localNames returns the printed names of parameters and locals.
func (f *Func) localNames() []string {
	names := make([]string, 0, len(f.Params)+len(f.Locals))
	for _, l := range f.Params {
		names = append(names, l.Name)
	}
	for _, l := range f.Locals {
		names = append(names, l.Name)
	}
	return unique(names)
}

func (m *Module) funcNames() []string {
	var names []string
	for _, imp := range m.Imports {
		names = append(names, imp.FuncName)
	}
	for _, f := range m.Funcs {
		names = append(names, f.Name)
	}
	return unique(names)
}
