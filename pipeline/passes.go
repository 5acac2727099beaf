package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/internal/pass"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/vir"
	viropt "github.com/simtc/simtc/vir/opt"
	"github.com/simtc/simtc/vir/opt/control"
	"github.com/simtc/simtc/workgroup"
)

// scalarPasses are the passes over the kernel IR of one work-item, which all strategies share.
// Barriers are lowered after all simplification and before the kernel takes the form that
// linearization requires.
var scalarPasses = pass.List[*kernel.Func]{
	Stage: "scalar", Check: kernel.Verify,
	Passes: slices.Concat(opt.Simplify, []opt.Pass{{Name: "barriers", Run: workgroup.Barriers, Required: true}}, opt.Canonicalize),
}

// preparedPasses are the passes over a prepared kernel read from text. The simplifying passes have run;
// they are not idempotent and would change it. In a kernel that was split at its barriers they
// would also remove stores to private memory that later phases read.
var preparedPasses = pass.List[*kernel.Func]{
	Stage: "scalar", Check: kernel.Verify,
	Passes: slices.Concat([]opt.Pass{{Name: "unreachable", Run: opt.RemoveUnreachable, Required: true}}, opt.Canonicalize),
}

// vectorPasses are the passes from linearization to the plan, final those from the plan to code
// generation, and joinPasses those over the code around several parts.
var (
	vectorPasses = pass.List[*vir.Func]{Stage: "vector", Check: vir.Verify, Passes: viropt.Passes}
	finalPasses  = pass.List[*vir.Func]{Stage: "final", Check: vir.Verify, Passes: viropt.Final}
	joinPasses   = pass.List[*vir.Func]{Stage: "join", Check: vir.Verify, Passes: []viropt.Pass{{Name: "control", Run: control.Control}}}
)

// linearizeStage is the stage in which control flow becomes uniform.
const linearizeStage = "linearize"

// Pass describes a pass of the compiler.
type Pass struct {
	Stage    string // "scalar", "lanes", "linearize", "vector", "join" or "final"; then the stages of native code
	Name     string
	Required bool     // it cannot be disabled
	After    []string // passes that must run before it
	Summary  string   // its effect; "" if docs/optimizations.md describes it
}

// Passes lists the passes in the order in which a kernel goes through them. A pass may run
// several times.
func Passes() []Pass {
	var out []Pass
	for _, d := range passList() {
		out = append(out, Pass{d.Stage, d.Name, d.Required, d.After, d.Summary})
	}
	return out
}

// PassCost is the cost of all runs of a pass.
type PassCost = pass.Cost

// PassCosts returns the costs of the passes over the kernel so far, for all its strategies, if
// Options.Debug.Measure is set. Allocations are those of the whole process meanwhile.
func (k *Kernel) PassCosts() []PassCost { return k.shared.costs.List() }

// emitPasses prints the list of passes by stage.
func emitPasses(*Program, []*Kernel) ([]byte, error) {
	var b strings.Builder
	stage := ""
	for _, p := range Passes() {
		if p.Stage != stage {
			stage = p.Stage
			fmt.Fprintf(&b, "%s\n", stage)
		}
		var notes []string
		if p.Summary != "" {
			notes = append(notes, p.Summary)
		}
		if p.Required {
			notes = append(notes, "required")
		}
		if len(p.After) > 0 {
			notes = append(notes, "after "+strings.Join(p.After, ", "))
		}
		fmt.Fprintf(&b, "%s\n", strings.TrimRight(fmt.Sprintf("  %-18s %s", p.Name, strings.Join(notes, "; ")), " "))
	}
	return []byte(b.String()), nil
}

// Check returns an error if a name selects no pass, or only required ones are to be disabled.
func (d *Debug) Check() error {
	all := passList()
	optional := slices.DeleteFunc(slices.Clone(all), func(p pass.Description) bool { return p.Required })
	if n, unknown := pass.Unknown(slices.Concat(d.Disable, d.DumpAfter), all); unknown {
		return fmt.Errorf("unknown pass %q: the kind of output passes lists them", n)
	}
	if n, required := pass.Unknown(d.Disable, optional); required {
		return fmt.Errorf("pass %q is required and cannot be disabled", n)
	}
	return nil
}

// passList is Passes with the positions of repeated passes.
func passList() []pass.Description {
	var linearize []pass.Description // alternatives
	for _, name := range Linearizers() {
		linearize = append(linearize, pass.Description{Step: pass.Step{Stage: linearizeStage, Name: name}, Required: true})
	}
	out := slices.Concat(scalarPasses.Describe(), lanePasses.Describe(), linearize,
		vectorPasses.Describe(), joinPasses.Describe(), finalPasses.Describe())
	for _, t := range allTargets {
		if t.Passes == nil {
			continue
		}
		for _, d := range t.Passes() { // targets may share some
			if !slices.ContainsFunc(out, func(o pass.Description) bool { return o.Step == d.Step }) {
				out = append(out, d)
			}
		}
	}
	return out
}
