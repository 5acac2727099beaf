package main

import (
	"embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/simtc/simtc/utest/opencl"
	"github.com/simtc/simtc/utest/runfile"
)

//go:embed kernels/*.cl
var sources embed.FS

// benchmark is a kernel with the one run line that says how to measure it.
type benchmark struct {
	name    string
	source  string
	command opencl.Command
	sums    []runfile.Sum // expected
}

// names lists the benchmarks, sorted.
func names() []string {
	files, _ := sources.ReadDir("kernels")
	var out []string
	for _, f := range files {
		out = append(out, strings.TrimSuffix(f.Name(), ".cl"))
	}
	slices.Sort(out)
	return out
}

// load reads benchmarks; no names means all. A name that ends in .cl is a file
// of the user's with the same header.
func load(chosen []string) ([]*benchmark, error) {
	if len(chosen) == 0 {
		chosen = names()
	}
	var out []*benchmark
	for _, name := range chosen {
		b, err := read(name)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

func read(name string) (*benchmark, error) {
	var text []byte
	var err error
	file := name
	if strings.HasSuffix(name, ".cl") {
		text, err = os.ReadFile(name)
		name = strings.TrimSuffix(filepath.Base(name), ".cl")
	} else {
		file = path.Join("kernels", name+".cl")
		if text, err = sources.ReadFile(file); err != nil {
			return nil, fmt.Errorf("no kernel %q; there are %s", name, strings.Join(names(), " "))
		}
	}
	if err != nil {
		return nil, err
	}
	f, err := runfile.Parse(file, string(text))
	if err != nil {
		return nil, err
	}
	c, err := opencl.Parse(file, f.Runs[0].Words)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", file, f.Runs[0].Line, err)
	}
	return &benchmark{name, f.Source, c, f.Runs[0].Sums}, nil
}

// writeSource writes the source to a file, for programs that want one.
func (b *benchmark) writeSource(dir string) (string, error) {
	file := filepath.Join(dir, b.name+".cl")
	return file, os.WriteFile(file, []byte(b.source), 0o600)
}
