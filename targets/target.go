// Package targets has the descriptor of a target, which each target's folder exports as Target,
// and the interfaces of its code. The list of all targets is in package pipeline.
//
// It must not know any target, and targets must not know what runs their code.
package targets

import (
	"slices"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/internal/pass"
	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/legalize"
)

// Target describes one target. Shared code uses its fields and never compares its name.
type Target struct {
	Name       string
	Emit       string // the default kind of output
	Widths     []int  // the widths that are listed and tested; empty: it has no lanes
	MoreWidths []int  // further supported widths, used only on request
	Scalar     bool   // it interprets the kernel IR and has neither lanes nor code

	// Legal describes the registers and operations for a function; nil: Compile takes any vir.
	Legal func(f *vir.Func) legalize.Target
	// Costs prices branches, and on Zen 4 the strategies; nil: it has no lanes. CostsByCPU has
	// the costs of other processors.
	Costs      *plan.Costs
	CostsByCPU map[string]*plan.Costs
	// DisabledPasses lists the passes over vir that do not pay off at a width; nil: none.
	DisabledPasses func(width int, o Options) []string
	Forms          []string // forms of one-lane code, the default first; empty: there is one

	Level  int  // x86-64 level of its machine code; 0: it runs on every host
	VNNI   bool // launches use AVX512_VNNI where the processor has it
	Engine bool // code runs in an engine's own memory, in which buffers may live

	// EmulatedFMA is the reason why portable code emulates a fused multiply-add, FMAHelp how to
	// avoid that; "" if the target has an instruction.
	EmulatedFMA, FMAHelp string

	// Compile compiles a function, which it does not modify, to code.
	Compile func(f *vir.Func, o Options) (Code, error)
	Passes  func() []pass.Description // of Compile, in their order; nil: it has none
	Outputs []Output                  // kinds of output that show its code
}

// Options are the options of Compile.
type Options struct {
	Processor string        // see Processors
	Form      string        // of one-lane code; "": the default
	VNNI      bool          // the code may require AVX512_VNNI
	Context   *pass.Context // settings of the passes
}

// Output is a kind of output that shows code. Targets share a kind by its name.
type Output struct {
	Kind, About string
	// Emit renders the code of the kernels of a program. It returns a *LimitError for code that
	// exceeds a limit.
	Emit func(codes []Code, p Program) ([]byte, error)
}

// Program is what outputs show of a program besides its kernels.
type Program struct {
	File        string      // its name in messages
	Texts       *diag.Texts // its source
	Data        vir.Data
	RelaxedSIMD bool // the relaxed multiply-add of WebAssembly rounds once
}

// CostsOn returns the costs for choosing a strategy on a processor.
func (t *Target) CostsOn(processor string) *plan.Costs {
	if c := t.CostsByCPU[processor]; c != nil {
		return c
	}
	return t.Costs
}

// AllWidths lists the supported widths.
func (t *Target) AllWidths() []int { return slices.Concat(t.Widths, t.MoreWidths) }

// Supports reports whether the target supports a width.
func (t *Target) Supports(width int) bool { return slices.Contains(t.AllWidths(), width) }

// Compiled reports whether launches run machine code or a module, whose time is worth measuring.
func (t *Target) Compiled() bool { return t.Level > 0 || t.Engine }
