// Package remarks tells what became of a kernel's branches, memory accesses and
// loops when it was vectorized, by place in the source: what happens, about
// what it costs, why, and what could be done about it.
//
// It only reads what the stages leave behind: the kernel IR, its divergence,
// the linearizer's report, the vector IR, a target's costs and spills. It must
// not know any target by name, nor how a stage comes to its results.
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

// Remark is one thing worth knowing about one place.
type Remark struct {
	File   string  `json:"file"`
	Line   int     `json:"line"`   // from 1; 0 if no place is known
	Column int     `json:"column"` // from 1, in bytes
	Kernel string  `json:"kernel"`
	Kind   string  `json:"kind"` // see Kinds
	Width  int     `json:"width"`
	Count  int     `json:"count"` // how many equal ones the line has
	Text   string  `json:"text"`
	NS     float64 `json:"ns,omitempty"`    // about what one costs each time it runs, in ns for all lanes; 0: not known
	Chain  []Link  `json:"chain,omitempty"` // why, back to where it begins
	Help   string  `json:"help,omitempty"`  // what could be done about it

	at diag.Pos // File, Line and Column, and where the text is
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
	// Quiet kinds are only told when they are asked for.
	Quiet bool

	one, many string // what the remark calls one and several of them
}

// The kinds of remarks.
const (
	Width         = "width"
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
	Postponed     = "postponed"
	Refilled      = "refilled"
	Gather        = "gather"
	Scatter       = "scatter"
	Atomic        = "atomic"
	Strided       = "strided"
	Rows          = "rows"
	Packed        = "packed"
	Rounds        = "rounds"
	Broadcast     = "broadcast"
	Private       = "private"
	Division      = "division"
	Slow          = "slow"
	FMA           = "fma"
	Spill         = "spill"
	Printf        = "printf"
)

var kinds = []Kind{
	{Name: Width, About: "how many work-items run together, and why", one: "width", many: "widths"},
	{Name: Groups, About: "a kernel that must run its work-groups one by one, whose rows fill the lanes", one: "work-groups", many: "uses of work-groups"},
	{Name: Irreducible, About: "a cycle with several entries, which needs block IPs", one: "irreducible cycle", many: "irreducible cycles"},
	{Name: Unrolled, About: "a loop that was replaced by copies of its body", one: "loop unrolled", many: "loops unrolled"},
	{Name: Interior, About: "accesses at places that are bounded, wrapped around or made of a quotient or remainder, at even distances in a copy for lanes that are all away from borders and ends of rows", one: "copy for lanes away from borders:", many: "copies for lanes away from borders:"},
	{Name: Counted, About: "a loop over a stretch of each lane's own that lanes leave together, as all stretches are of one length; or one of a few rounds, a constant number wherever it begins", one: "loop counted", many: "loops counted"},
	{Name: Melded, About: "arms of a branch that became one", one: "branch melded", many: "branches melded"},
	{Name: Converted, About: "a branch that became selects", Quiet: true, one: "branch converted", many: "branches converted"},
	{Name: Divergent, About: "a branch at which lanes part", one: "divergent branch", many: "divergent branches"},
	{Name: DivergentLoop, About: "a loop that lanes leave one by one", one: "loop left lane by lane", many: "loop exits taken lane by lane"},
	{Name: Kept, About: "a branch on which all lanes agree, and which stays one", one: "uniform branch", many: "uniform branches"},
	{Name: Folded, About: "a branch on which all lanes agree, but that control does not follow: it comes to both sides", one: "uniform branch folded", many: "uniform branches folded"},
	{Name: Guard, About: "a test that must be whether any lane is there", one: "guard", many: "guards"},
	{Name: LoopTest, About: "a test in a loop whether any lane is left", one: "loop test", many: "loop tests"},
	{Name: Join, About: "a JOIN point: a block that is jumped over when no lane waits there", one: "JOIN point", many: "JOIN points"},
	{Name: Bypass, About: "a region that is jumped over when no lane needs it, for its cost", one: "bypass", many: "bypasses"},
	{Name: Copy, About: "a second copy of a region, without masks, for when no lane is missing", one: "unmasked copy", many: "unmasked copies"},
	{Name: Postponed, About: "a region that work-items which need it are put off for, until there are as many as lanes", one: "region put off", many: "regions put off"},
	{Name: Refilled, About: "a loop in which lanes that have left it take other work-items as soon as a third of them have", one: "loop refilled", many: "loops refilled"},
	{Name: Gather, About: "a load from as many places as there are lanes", one: "gather", many: "gathers"},
	{Name: Scatter, About: "a store to as many places as there are lanes", one: "scatter", many: "scatters"},
	{Name: Atomic, About: "an atomic access at which lanes take turns, one by one", one: "atomic access", many: "atomic accesses"},
	{Name: Strided, About: "an access of elements a few apart, by whole vectors where no lane is missing or what lies between is accessed, too", one: "strided access", many: "strided accesses"},
	{Name: Rows, About: "an access along a row of its own in each lane, by tiles that are transposed", one: "row access", many: "row accesses"},
	{Name: Packed, About: "accesses of one work-item that became one of a vector", one: "pack", many: "packs"},
	{Name: Rounds, About: "a loop in one work-item whose rounds are lanes", one: "rounds", many: "rounds"},
	{Name: Broadcast, About: "a load from one place for all lanes", Quiet: true, one: "uniform load", many: "uniform loads"},
	{Name: Private, About: "a private object that stays in memory", one: "private object", many: "private objects"},
	{Name: Division, About: "a division of integers, which has no vector form", one: "integer division", many: "integer divisions"},
	{Name: Slow, About: "another operation that takes far longer than an addition", Quiet: true, one: "slow operation", many: "slow operations"},
	{Name: FMA, About: "a fused multiply-add that the target computes by many instructions", one: "fused multiply-add", many: "fused multiply-adds"},
	{Name: Spill, About: "values of a loop that find no register", one: "spills", many: "spills"},
	{Name: Printf, About: "an argument of printf that is no number of the kind that the format wants", one: "printf", many: "arguments of printf"},
}

// Kinds lists all kinds, in the order in which remarks about one place come.
func Kinds() []Kind { return slices.Clone(kinds) }

func indexOf(kind string) int {
	return slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == kind })
}

// Input is what is known about one compilation of a kernel.
type Input struct {
	Kernel *kernel.Func // as it was linearized
	Info   *divergence.Info
	Report *widen.Report
	Vector *vir.Func // after the passes over it
	Costs  *plan.Costs
	// Weigh prices an operation of the kernel in the form it has, in ns for all
	// lanes.
	Weigh  func(v *kernel.Value) float64
	Spills []Spills
	// EmulatedFMA is the reason why fused multiply-adds take many instructions, and FMAHelp
	// the advice; "" if they take one.
	EmulatedFMA, FMAHelp string
	// Reason says why this width and linearizer were chosen, in the words of
	// package plan; "" if they were not.
	Reason     string
	Linearizer string
	// Source returns the text of a file of OpenCL C, whose expressions are quoted; nil where
	// there is none, and operations of the kernel are printed in their place.
	Source func(file string) (text string, ok bool)
}

// Spills is the spill code of one line of the source, in the loops of one depth.
type Spills struct {
	At              diag.Pos // the line; not valid if it is not known
	Depth           int      // loops of the kernel around it
	Strip           bool     // is in the loop that runs Width work-items at a time
	Stores, Reloads int
}

// Of returns what there is to say, of all kinds, in the order of the source.
func Of(in Input) []Remark {
	c := newCollector(in)
	c.width()
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

// draft is a remark that may still be merged with its equals.
type draft struct {
	kind  string
	at    diag.Pos
	rest  string // of the text, after what the kind calls it
	ns    float64
	count int
	chain []Link
	help  string
	block *kernel.Block // where the kernel has what it tells of; nil: not known
}

func newCollector(in Input) *collector {
	c := &collector{Input: in, flow: newFlow(in.Kernel)}
	c.twice = c.copies()
	if in.Source != nil {
		c.texts = diag.NewTexts(in.Source)
	}
	return c
}

// add notes a remark about a place and returns it for what else is to be said.
func (c *collector) add(kind string, at diag.Pos, rest string) *draft {
	d := &draft{kind: kind, at: at, rest: rest, count: 1}
	c.list = append(c.list, d)
	return d
}

// in says which block of the kernel has what d tells of.
func (d *draft) in(b *kernel.Block) *draft {
	d.block = b
	return d
}

// linkAt makes a link.
func linkAt(at diag.Pos, text string) Link { return Link{at.File, at.Line, at.Col, text} }

// wide reports whether there are lanes that could differ.
func (c *collector) wide() bool { return c.Vector.Width > 1 }
