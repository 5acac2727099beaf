// Package remarks reports, by source position, how a kernel's branches, memory accesses
// and loops were vectorized: the result, its approximate cost, the cause and a possible
// remedy.
//
// It only reads the results of the stages: the kernel IR, its divergence, the linearizer's
// report, the vector IR, a target's costs and spills. It must not know any target by name,
// nor how a stage computes its results.
package remarks

import (
	"slices"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/widen"
)

// Remark is one statement about one source position.
type Remark struct {
	File   string  `json:"file"`
	Line   int     `json:"line"`   // from 1; 0 if unknown
	Column int     `json:"column"` // from 1, in bytes
	Kernel string  `json:"kernel"`
	Kind   string  `json:"kind"` // see Kinds
	Width  int     `json:"width"`
	Count  int     `json:"count"` // number of equal remarks in the line
	Text   string  `json:"text"`
	NS     float64 `json:"ns,omitempty"`    // approximate cost of one execution, in ns for all lanes; 0 if unknown
	Chain  []Link  `json:"chain,omitempty"` // the steps from effect to cause
	Help   string  `json:"help,omitempty"`  // a possible remedy

	at diag.Pos // File, Line and Column, and the position in the text
}

// Link is a step of an explanation.
type Link struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Text   string `json:"text"`
}

// Kind describes a kind of remark.
type Kind struct {
	Name  string
	About string
	// Quiet kinds are reported only on request.
	Quiet bool

	one, many string // how the remark's text begins, for one and for several
}

// The kinds of remarks.
const (
	Width         = "width"
	Dimension     = "dimension"
	Groups        = "groups"
	Irreducible   = "irreducible"
	Unrolled      = "unrolled"
	Interior      = "interior"
	Counted       = "counted"
	Melded        = "melded"
	Converted     = "converted"
	Divergent     = "divergent"
	DivergentLoop = "divergent-loop"
	Kept          = "kept"
	Folded        = "folded"
	Guard         = "guard"
	LoopTest      = "loop-test"
	Join          = "join"
	Bypass        = "bypass"
	Copy          = "copy"
	Deferred      = "deferred"
	Refilled      = "refilled"
	Gather        = "gather"
	Scatter       = "scatter"
	Atomic        = "atomic"
	Strided       = "strided"
	Rows          = "rows"
	Packed        = "packed"
	Iterations    = "iterations"
	Dependence    = "dependence"
	Broadcast     = "broadcast"
	Private       = "private"
	Division      = "division"
	Slow          = "slow"
	FMA           = "fma"
	Spill         = "spill"
	Printf        = "printf"
)

var kinds = []Kind{
	{Name: Width, About: "the number of work-items that run as lanes, and why", one: "width", many: "widths"},
	{Name: Dimension, About: "lanes along another dimension of the range than the first, or across rows of work-groups, and why", one: "lanes along dimension", many: "lanes along dimensions"},
	{Name: Groups, About: "a kernel whose lanes are work-items of one row of a work-group", one: "work-groups", many: "uses of work-groups"},
	{Name: Irreducible, About: "a cycle with several entries, which needs block IPs", one: "irreducible cycle", many: "irreducible cycles"},
	{Name: Unrolled, About: "a loop replaced by copies of its body", one: "loop unrolled", many: "loops unrolled"},
	{Name: Interior, About: "accesses with clamped, wrapped or divided indices, which are strided in a version for lanes away from boundaries", one: "interior version:", many: "interior versions:"},
	{Name: Counted, About: "a loop whose bounds differ between lanes while its trip count is uniform or constant", one: "loop counted", many: "loops counted"},
	{Name: Melded, About: "arms of a branch merged into one", one: "branch melded", many: "branches melded"},
	{Name: Converted, About: "a branch converted to selects", Quiet: true, one: "branch converted", many: "branches converted"},
	{Name: Divergent, About: "a branch at which lanes diverge", one: "divergent branch", many: "divergent branches"},
	{Name: DivergentLoop, About: "a loop that lanes exit divergently", one: "divergent loop exit", many: "divergent loop exits"},
	{Name: Kept, About: "a uniform branch that remains a branch", one: "uniform branch", many: "uniform branches"},
	{Name: Folded, About: "a uniform branch that is linearized: control passes both sides", one: "uniform branch folded", many: "uniform branches folded"},
	{Name: Guard, About: "a required test that some lane is active", one: "guard", many: "guards"},
	{Name: LoopTest, About: "a loop's test that some lane is still active", one: "loop test", many: "loop tests"},
	{Name: Join, About: "a JOIN point: a block that is skipped when no lane waits there", one: "JOIN point", many: "JOIN points"},
	{Name: Bypass, About: "a branch around a region that no lane needs, where it pays", one: "bypass", many: "bypasses"},
	{Name: Copy, About: "an unmasked copy of a region, for when all lanes are active", one: "unmasked copy", many: "unmasked copies"},
	{Name: Deferred, About: "a region deferred until as many work-items need it as there are lanes", one: "region deferred", many: "regions deferred"},
	{Name: Refilled, About: "a loop whose lanes are refilled with other work-items once a third of them have exited", one: "loop refilled", many: "loops refilled"},
	{Name: Gather, About: "a load from a separate address per lane", one: "gather", many: "gathers"},
	{Name: Scatter, About: "a store to a separate address per lane", one: "scatter", many: "scatters"},
	{Name: Atomic, About: "an atomic access that serializes lanes", one: "atomic access", many: "atomic accesses"},
	{Name: Strided, About: "an access with a small stride, by whole vectors under any mask or where all lanes are active", one: "strided access", many: "strided accesses"},
	{Name: Rows, About: "an access along a separate row per lane, by transposed tiles", one: "row access", many: "row accesses"},
	{Name: Packed, About: "adjacent accesses of one work-item combined into a vector access", one: "SLP group", many: "SLP groups"},
	{Name: Iterations, About: "a loop of one work-item whose iterations run as lanes", one: "loop vectorized", many: "loops vectorized"},
	{Name: Dependence, About: "a loop of one work-item whose iterations cannot run as lanes, as one uses memory that another writes", one: "loop not vectorized", many: "loops not vectorized"},
	{Name: Broadcast, About: "a load from one address for all lanes", Quiet: true, one: "uniform load", many: "uniform loads"},
	{Name: Private, About: "a private object that stays in memory", one: "private object", many: "private objects"},
	{Name: Division, About: "a division of integers, which has no vector form", one: "integer division", many: "integer divisions"},
	{Name: Slow, About: "another operation that takes far longer than an addition", Quiet: true, one: "slow operation", many: "slow operations"},
	{Name: FMA, About: "a fused multiply-add that the target computes by many instructions", one: "fused multiply-add", many: "fused multiply-adds"},
	{Name: Spill, About: "values spilled to memory in a loop", one: "spills", many: "spills"},
	{Name: Printf, About: "a printf argument whose type does not match its conversion", one: "printf", many: "arguments of printf"},
}

// Kinds lists all kinds, in the order of remarks about one position.
func Kinds() []Kind { return slices.Clone(kinds) }

func indexOf(kind string) int {
	return slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == kind })
}

// Input holds the results of compiling one kernel.
type Input struct {
	Kernel *kernel.Func // as linearized
	Info   *divergence.Info
	Report *widen.Report
	Vector *vir.Func // after the vector passes
	Costs  *plan.Costs
	// Weigh estimates the cost of an operation of the kernel in its shape, in ns for all
	// lanes.
	Weigh  func(v *kernel.Value) float64
	Spills []Spills
	// Notes are those about the kernel that are not in Kernel.
	Notes []kernel.Note
	// EmulatedFMA is the reason why a fused multiply-add takes many instructions, and
	// FMAHelp the remedy; both are "" if it takes one.
	EmulatedFMA, FMAHelp string
	// Reason is the explanation by package plan of the chosen width and linearizer; "" if
	// the caller chose them.
	Reason     string
	Linearizer string
	// LaneDim is the explanation of the dimension of the lanes; "" if the caller chose it or
	// it is the first.
	LaneDim string
	// Source returns the text of an OpenCL C file, for quoting expressions. If it is nil,
	// operations of the kernel are printed instead.
	Source func(file string) (text string, ok bool)
}

// Spills counts the spill code of one source line at one loop depth.
type Spills struct {
	At              diag.Pos // the line; invalid if unknown
	Depth           int      // number of enclosing loops of the kernel
	Strip           bool     // inside the loop over strips of Width work-items
	Stores, Reloads int
}

// Of returns the remarks of all kinds, in source order.
func Of(in Input) []Remark {
	c := newCollector(in)
	c.width()
	c.dimension()
	c.groups()
	c.notes()
	c.branches()
	c.tests()
	c.memory()
	c.atomics()
	c.within()
	c.privates()
	c.divisions()
	c.slow()
	c.emulatedFMA()
	c.spills()
	return c.finish()
}

// collector gathers the remarks of one compilation.
type collector struct {
	Input
	flow
	twice []copied
	list  []*draft
	texts *diag.Texts // of Source, or nil
}

// draft is a remark before equal ones are merged.
type draft struct {
	kind  string
	at    diag.Pos
	rest  string // of the text, after the kind's one or many
	ns    float64
	count int
	chain []Link
	help  string
	block *kernel.Block // the block it is about; nil if unknown
}

func newCollector(in Input) *collector {
	c := &collector{Input: in, flow: newFlow(in.Kernel)}
	c.twice = c.copies()
	if in.Source != nil {
		c.texts = diag.NewTexts(in.Source)
	}
	return c
}

// add appends a remark and returns it for completion.
func (c *collector) add(kind string, at diag.Pos, rest string) *draft {
	d := &draft{kind: kind, at: at, rest: rest, count: 1}
	c.list = append(c.list, d)
	return d
}

// in sets the block that d is about.
func (d *draft) in(b *kernel.Block) *draft {
	d.block = b
	return d
}

func linkAt(at diag.Pos, text string) Link { return Link{at.File, at.Line, at.Col, text} }

// wide reports whether there are several lanes.
func (c *collector) wide() bool { return c.Vector.Width > 1 }
