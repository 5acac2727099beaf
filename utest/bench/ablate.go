package main

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/utest/kernels"
	"github.com/simtc/simtc/utest/opencl"
	"github.com/simtc/simtc/utest/runfile"
)

// The measures of an ablation.
const (
	byTime         = "time"         // CPU time of launches
	byInstructions = "instructions" // instructions that the emulator executes for small ranges
	byCode         = "code"         // changes of code; results are still compared
)

// part is a part of the compiler that an ablation switches off: all optional runs of a pass of one
// stage, several passes together, or a feature of strategies.
type part struct {
	name    string   // "stage/pass", names joined by "+", or the feature's name
	passes  []string // "stage/pass"
	partly  bool     // the stage also has a required run of a pass
	feature *feature
}

// groups are passes that do the same work at different places or in different cases, so that one of
// them alone is partly replaced by the others.
var groups = []string{
	"redundancy+signs", "hoist+limits", "reductions+gatherreductions",
	"vector/control+join/control",
}

// passParts lists the passes that can be disabled, in the order of their first runs.
func passParts() []part {
	var out []part
	required := map[string]bool{}
	for _, p := range simtc.Passes() {
		name := p.Stage + "/" + p.Name
		if p.Required {
			required[name] = true
		} else if !slices.ContainsFunc(out, func(x part) bool { return x.name == name }) {
			out = append(out, part{name: name, passes: []string{name}})
		}
	}
	for i := range out {
		out[i].partly = required[out[i].name]
	}
	return out
}

// selectParts returns the parts with the given names, in that order. That of a pass may omit the
// stage, and passes joined by "+" are disabled together. No names means all, and the groups.
func selectParts(names []string) ([]part, error) {
	passes := passParts()
	if len(names) == 0 {
		for _, p := range passes {
			names = append(names, p.name)
		}
		names = slices.Concat(names, groups, featureNames())
	}
	var out []part
	for _, n := range names {
		if i := slices.IndexFunc(features, func(f feature) bool { return f.name == n }); i >= 0 {
			out = append(out, part{name: n, feature: &features[i]})
			continue
		}
		group := part{name: n}
		for one := range strings.SplitSeq(n, "+") {
			found := false
			for _, p := range passes {
				if p.name != one && !strings.HasSuffix(p.name, "/"+one) {
					continue
				}
				found = true
				if !strings.Contains(n, "+") {
					out = append(out, p)
					continue
				}
				group.passes = append(group.passes, p.name)
				group.partly = group.partly || p.partly
			}
			if !found {
				return nil, fmt.Errorf("no optional pass or feature %q; the features are %s", one, strings.Join(featureNames(), ", "))
			}
		}
		if len(group.passes) > 0 {
			out = append(out, group)
		}
	}
	return out, nil
}

// ablation is a run of --ablate.
type ablation struct {
	*settings
	ctx     context.Context
	target  string
	passes  []part
	choices []part // features of strategies
	effects map[string]*effect

	kernels  int      // with code
	measured int      // of those
	notes    []string // kernels that are not compiled or not measured, with the reason
}

// effect is the effect of a part over the kernels.
type effect struct {
	size
	name    string
	changed int      // kernels whose code, or for features whose fastest strategy, changes
	ratios  mean     // off / on, of the measured kernels
	helps   int      // kernels with a ratio above 1 + noise
	hurts   int      // and below 1 / (1 + noise)
	largest float64  // the ratio farthest from 1
	kernel  string   // that has it; "": all ratios are 1
	compile mean     // off / on
	wrong   []string // kernels whose results change
	failed  []string // kernels that fail without the part
}

// noise is the relative difference up to which two times of a kernel count as equal.
const noise = 0.05

// add records the ratio of a kernel.
func (e *effect) add(kernel string, ratio float64) {
	e.ratios.add(ratio)
	switch {
	case ratio > 1+noise:
		e.helps++
	case ratio < 1/(1+noise):
		e.hurts++
	}
	if e.kernel == "" && ratio != 1 || math.Abs(math.Log(ratio)) > math.Abs(math.Log(e.largest)) {
		e.largest, e.kernel = ratio, kernel
	}
}

// ablateTable switches off the parts of the compiler in turn and prints the effects.
func (s *settings) ablateTable(ctx context.Context, chosen []string) (ok bool, err error) {
	a := &ablation{settings: s, ctx: ctx, target: s.target, effects: map[string]*effect{}}
	if !slices.Contains([]string{byTime, byInstructions, byCode}, s.ablate) {
		return false, fmt.Errorf("unknown measure %q: want %s, %s or %s", s.ablate, byTime, byInstructions, byCode)
	}
	switch {
	case s.ablate == byInstructions && cmp.Or(s.target, simtc.AVX512) != simtc.AVX512:
		return false, errors.New("only instructions of avx512 can be counted")
	case s.ablate == byInstructions:
		a.target = simtc.AVX512
	case s.target == "" && simtc.Available(simtc.AVX512) != nil:
		a.target = simtc.WASM
	case s.target == "":
		a.target = simtc.AVX512
	}
	if !slices.Contains([]string{simtc.AVX512, simtc.WASM}, a.target) {
		return false, fmt.Errorf("target %s cannot be measured", a.target)
	}
	if err := simtc.Available(a.target); err != nil && !a.emulates() {
		return false, err
	}
	all, err := selectParts(s.passes)
	if err != nil {
		return false, err
	}
	list, err := a.load(chosen)
	if err != nil {
		return false, err
	}
	a.set(all)
	if err := a.countLines(all); err != nil {
		return false, err
	}
	for i, b := range list {
		if err := a.kernel(b); ctx.Err() != nil {
			a.notes = append(a.notes, fmt.Sprintf("interrupted after %d of %d kernels", i, len(list)))
			break
		} else if err != nil {
			return false, fmt.Errorf("%s: %w", b.name, err)
		}
		progress(i+1, len(list))
	}
	return a.print(os.Stdout)
}

// set sets the parts to switch off: those that the target has and that can be measured.
func (a *ablation) set(all []part) {
	for _, p := range all {
		a.effects[p.name] = &effect{name: p.name, largest: 1}
		if p.feature == nil {
			a.passes = append(a.passes, p)
		} else if (p.feature.target == "" || p.feature.target == a.target) && (a.ablate != byInstructions || !p.feature.launches) {
			a.choices = append(a.choices, p)
		} else {
			delete(a.effects, p.name)
		}
	}
}

// emulates reports whether code runs in the emulator.
func (a *ablation) emulates() bool {
	return a.ablate == byInstructions || a.ablate == byCode && a.target == simtc.AVX512 && simtc.Available(simtc.AVX512) != nil
}

// load reads the kernels that are chosen by name or pattern: each kernel of the benchmark and of
// the end-to-end tests, once for each set of macros in its run lines. Times are those of bench
// lines where there are any; other measures use the shorter run lines.
func (a *ablation) load(chosen []string) ([]*benchmark, error) {
	if len(chosen) > 0 && a.pattern != "" {
		return nil, errors.New("--kernels cannot be combined with names of kernels")
	}
	var out []*benchmark
	for _, folder := range []struct {
		in  embed.FS
		dir string
	}{{kernels.Files, "."}, {sources, "kernels"}} {
		entries, err := folder.in.ReadDir(folder.dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			name := strings.TrimSuffix(e.Name(), ".cl")
			if ok, err := wanted(name, a.pattern, chosen); err != nil {
				return nil, err
			} else if !ok {
				continue
			}
			text, err := folder.in.ReadFile(path.Join(folder.dir, e.Name()))
			if err != nil {
				return nil, err
			}
			list, err := parseRuns(name, text, a.ablate == byTime)
			if err != nil {
				return nil, err
			}
			out = append(out, list...)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no kernel matches; have %s and the kernels of the end-to-end tests", strings.Join(names(), " "))
	}
	return out, nil
}

// wanted reports whether the name of a file matches the pattern or is chosen.
func wanted(name, pattern string, chosen []string) (bool, error) {
	if pattern == "" {
		return len(chosen) == 0 || slices.Contains(chosen, name), nil
	}
	ok, err := path.Match(pattern, name)
	if err != nil {
		return false, fmt.Errorf("--kernels %q: %w", pattern, err)
	}
	return ok, nil
}

// parseRuns returns the kernels of a file with their run lines, one line for each kernel and set of
// options.
func parseRuns(file string, text []byte, bench bool) ([]*benchmark, error) {
	f, err := runfile.Parse(file+".cl", string(text))
	if err != nil {
		return nil, err
	}
	runs := f.Runs
	if bench && f.Bench != nil {
		runs = slices.Concat([]*runfile.Run{f.Bench}, runs)
	}
	var out []*benchmark
	seen := map[string]bool{}
	for _, r := range runs {
		c, err := opencl.Parse(f.Path, r.Words)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", f.Path, r.Line, err)
		}
		key := c.Kernel + " " + c.Options
		if seen[key] {
			continue
		}
		seen[key] = true
		out = append(out, &benchmark{name: file, source: f.Source, command: c, sums: r.Sums})
	}
	if len(out) > 1 {
		for _, b := range out {
			b.name = strings.TrimSpace(b.name + ":" + b.command.Kernel + " " + b.command.Options)
		}
	}
	return out, nil
}

// countLines fills in the lines of code of the parts, if the working directory is in the source of
// the module.
func (a *ablation) countLines(all []part) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		parent := filepath.Dir(root)
		if parent == root {
			return errors.New("--ablate counts lines of source: run it in the repository")
		}
		root = parent
	}
	sizes, err := partSizes(os.DirFS(root), "github.com/simtc/simtc", all)
	if err != nil {
		return err
	}
	for name, n := range sizes {
		if e := a.effects[name]; e != nil {
			e.size = n
		}
	}
	return nil
}

// sorted lists the effects in the order of the parts.
func (a *ablation) sorted() []*effect {
	var out []*effect
	left := maps.Clone(a.effects)
	for _, p := range slices.Concat(a.passes, a.choices) {
		if e := left[p.name]; e != nil {
			out = append(out, e)
			delete(left, p.name)
		}
	}
	return out
}
