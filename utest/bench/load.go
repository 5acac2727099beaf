package main

import (
	"embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/simtc/simtc/utest/intrinsics"
	"github.com/simtc/simtc/utest/kernels"
	"github.com/simtc/simtc/utest/opencl"
	"github.com/simtc/simtc/utest/runfile"
)

//go:embed kernels/*.cl shapes/*.cl
var sources embed.FS

// benchmark is a kernel with the run line that specifies its measurement.
type benchmark struct {
	name    string
	source  string
	command opencl.Command
	sums    []runfile.Sum // expected
}

// fromTests lists the benchmarks that are kernels of the end-to-end tests.
var fromTests = []string{"aobench", "game_of_life", "nbody", "nqueens", "saxpy"}

// names lists the benchmarks, sorted.
func names() []string {
	files, _ := sources.ReadDir("kernels")
	out := slices.Clone(fromTests)
	for _, f := range files {
		out = append(out, strings.TrimSuffix(f.Name(), ".cl"))
	}
	slices.Sort(out)
	return out
}

// shapes lists the kernels that show shapes of accesses, work-groups and loops, sorted.
func shapes() []string {
	files, _ := sources.ReadDir("shapes")
	var out []string
	for _, f := range files {
		out = append(out, strings.TrimSuffix(f.Name(), ".cl"))
	}
	return out
}

// tests lists the other kernels of the end-to-end tests with a run line for measurement,
// sorted.
func tests() []string {
	files, _ := kernels.Files.ReadDir(".")
	var out []string
	for _, file := range files {
		name := strings.TrimSuffix(file.Name(), ".cl")
		text, _ := kernels.Files.ReadFile(file.Name())
		if f, err := runfile.Parse(file.Name(), string(text)); err == nil && f.Bench != nil && !slices.Contains(fromTests, name) {
			out = append(out, name)
		}
	}
	return out
}

// load reads benchmarks; no names means names(), the name "tests" those of the end-to-end
// tests, "shapes" those of shapes(). A name that ends in .cl is a file with the same header.
func load(chosen []string) ([]*benchmark, error) {
	if len(chosen) == 0 {
		chosen = names()
	}
	for group, members := range map[string]func() []string{"tests": tests, "shapes": shapes} {
		if i := slices.Index(chosen, group); i >= 0 {
			chosen = slices.Concat(chosen[:i], members(), chosen[i+1:])
		}
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

// loadByHand reads the kernels of which set has handwritten ones; no names means all.
func loadByHand(set *intrinsics.Set, chosen []string) ([]*benchmark, error) {
	all := set.Names()
	if len(chosen) == 0 {
		chosen = all
	}
	var out []*benchmark
	for _, name := range chosen {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("no handwritten kernel %q; have %s", name, strings.Join(all, " "))
		}
		file := path.Join("kernels", name+".cl")
		text, err := intrinsics.Kernels.ReadFile(file)
		if err != nil {
			return nil, err
		}
		b, err := parse(name, file, text)
		if err != nil {
			return nil, err
		}
		b.command.Runner = set.Runner()
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
		folder := "kernels"
		if slices.Contains(shapes(), name) {
			folder = "shapes"
		}
		file = path.Join(folder, name+".cl")
		if text, err = sources.ReadFile(file); err != nil {
			file = name + ".cl"
			if !slices.Contains(fromTests, name) && !slices.Contains(tests(), name) {
				return nil, fmt.Errorf("no kernel %q; have %s, shapes: %s, tests: %s", name, strings.Join(names(), " "), strings.Join(shapes(), " "), strings.Join(tests(), " "))
			}
			text, err = kernels.Files.ReadFile(file)
		}
	}
	if err != nil {
		return nil, err
	}
	return parse(name, file, text)
}

// parse returns the benchmark described by the header of a kernel.
func parse(name, file string, text []byte) (*benchmark, error) {
	f, err := runfile.Parse(file, string(text))
	if err != nil {
		return nil, err
	}
	r := f.Runs[0]
	if f.Bench != nil {
		r = f.Bench
	}
	c, err := opencl.Parse(file, r.Words)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", file, r.Line, err)
	}
	return &benchmark{name, f.Source, c, r.Sums}, nil
}

// writeSource writes the source to a file, for external programs.
func (b *benchmark) writeSource(dir string) (string, error) {
	file := filepath.Join(dir, b.name+".cl")
	return file, os.WriteFile(file, []byte(b.source), 0o600)
}
