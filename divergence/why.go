package divergence

import (
	"fmt"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
)

// ReasonKind classifies the causes of differences between lanes and of divergent branches.
type ReasonKind uint8

const (
	// Origins: a chain of reasons ends with one of them.

	LaneID           ReasonKind = iota // the id along dimension 0
	VaryingLoad                        // a load from an address that differs between lanes
	PrivateLoad                        // a load from private memory, which is separate for each lane
	SerializedAtomic                   // the result of an atomic access, which serializes lanes
	NextItem                           // the number of the work-item that a lane took after leaving a loop (package refill)
	Counter                            // a strided variable of the loop whose iterations are the lanes
	Carried                            // another variable of that loop

	// Steps from effect to cause.

	Computed          // an operation on a value that differs
	Uneven            // an operation on strided values without a rule that keeps them strided
	Merged            // a block parameter with an argument that differs
	DivergentJoin     // a block parameter where lanes reconverge that diverged at a branch
	TemporalExit      // a block parameter for values of a loop that lanes exit in different iterations
	AsynchronousCycle // in an irreducible cycle that lanes run in different iterations at once
	DivergentBranch
)

var reasonNames = [...]string{
	"lane id", "varying load", "private load", "in turn", "next item", "counter", "carried",
	"computed", "uneven", "merged", "join of diverged lanes", "exit in different iterations", "in different iterations", "divergent branch",
}

func (k ReasonKind) String() string { return reasonNames[k] }

// Reason is one step of an explanation.
type Reason struct {
	Kind  ReasonKind
	Value *kernel.Value // the value that differs; nil for a branch
	Block *kernel.Block // the block that branches, or that holds Value
	Pos   diag.Pos      // may be unknown
	Text  string        // one line: "line 12: x is loaded from an address that differs between lanes"
}

// Why explains why v is not uniform: a shortest chain from v to an origin, each step caused
// by the next. It is nil if v is uniform.
func (in *Info) Why(v *kernel.Value) []Reason {
	if in.Uniform(v) {
		return nil
	}
	return in.explain(step{value: v})
}

// WhyBranch explains why lanes diverge at the end of b; nil if they do not.
func (in *Info) WhyBranch(b *kernel.Block) []Reason {
	if !in.Divergent[b.ID] {
		return nil
	}
	return in.explain(step{branch: b})
}

// step is a node of the search for an origin, a value or a branch.
type step struct {
	value  *kernel.Value
	branch *kernel.Block

	kind ReasonKind // why the parent differs because of this node
	from *step
}

// explain searches from s for the nearest origin. Causes of a varying value are searched
// among varying values first: a loop variable may vary only because it starts strided and
// is then changed irregularly.
func (in *Info) explain(s step) []Reason {
	for _, x := range []search{{Info: in}, {Info: in, even: true}, {Info: in, even: true, kept: true}} {
		if out := x.from(s); out != nil {
			return out
		}
	}
	return nil
}

// search looks for an origin.
type search struct {
	*Info
	even bool // strided values count as causes of varying values
	kept bool // values kept across a barrier count as origins
}

// from searches breadth first. Causes are visited in a fixed order, each value and branch once.
func (in search) from(first step) []Reason {
	values := make([]bool, len(in.Shapes))
	branches := make([]bool, len(in.Func.Blocks))
	work := []*step{&first}
	for len(work) > 0 {
		s := work[0]
		work = work[1:]
		if s.value != nil {
			if values[s.value.ID] {
				continue
			}
			values[s.value.ID] = true
			if origin, ok := in.origin(s.value); ok {
				return in.chain(s, origin)
			}
		} else {
			if branches[s.branch.ID] {
				continue
			}
			branches[s.branch.ID] = true
		}
		for _, c := range in.causes(s) {
			c.from = s
			work = append(work, c)
		}
	}
	return nil
}

// origin reports whether v is an origin, and of which kind.
func (in search) origin(v *kernel.Value) (ReasonKind, bool) {
	switch v.Op {
	case kernel.GlobalID, kernel.LocalID, kernel.Lane:
		return LaneID, true
	case kernel.Load:
		if !in.Uniform(v.Args[0]) {
			return VaryingLoad, true
		}
		if !in.kept && in.Func.KeptIn(v.Args[0]) != nil {
			return 0, false
		}
		return PrivateLoad, !in.Asynchronous[v.Block.ID]
	case kernel.Atomic, kernel.CmpXchg:
		if v.Pos.Made {
			return NextItem, true
		}
		return SerializedAtomic, true
	case kernel.Param:
		if in.lanes != nil && v.Block.ID == in.lanes.Header {
			if in.Shape(v).IsStrided() {
				return Counter, true
			}
			return Carried, true
		}
	}
	return 0, false
}

// causes lists the possible causes of s.
func (in search) causes(s *step) []*step {
	if s.branch != nil {
		return []*step{{value: s.branch.Cond, kind: DivergentBranch}}
	}
	v := s.value
	var out []*step
	blame := func(kind ReasonKind, set []bool, by []int) {
		if set[v.Block.ID] && by[v.Block.ID] >= 0 {
			out = append(out, &step{branch: in.Func.Blocks[by[v.Block.ID]], kind: kind})
		}
	}
	if v.Op == kernel.Param {
		// A strided step alone makes nothing vary.
		for _, e := range in.entering(v.Block) {
			if x := e.Args[v.Index]; !in.Shape(x).IsStrided() || !in.Uniform(x) && in.Shape(v).IsStrided() {
				out = append(out, &step{value: x, kind: Merged})
			}
		}
		blame(DivergentJoin, in.Joins, in.joinedBy)
		blame(TemporalExit, in.Temporal, in.temporalBy)
		if in.even || len(out) == 0 {
			for _, e := range in.entering(v.Block) {
				if x := e.Args[v.Index]; in.Shape(x).Kind != Varying && !in.Uniform(x) {
					out = append(out, &step{value: x, kind: Merged})
				}
			}
		}
	}
	if v.Op == kernel.Load {
		out = in.stored(v)
	}
	if v.Op == kernel.Param || v.Op == kernel.Load {
		blame(AsynchronousCycle, in.Asynchronous, in.asynchronousBy)
		return out
	}
	if kernel.Convergent(v.Op) || v.Op == kernel.AllLanes || v.Op == kernel.FirstLane {
		blame(AsynchronousCycle, in.Asynchronous, in.asynchronousBy)
	}
	kind := Computed
	if !in.Shape(v).IsStrided() {
		kind = Uneven
		for _, x := range v.Args {
			if !in.Shape(x).IsStrided() {
				kind = Computed
			}
		}
	}
	for _, x := range v.Args {
		switch {
		case in.Uniform(x):
		case kind != Computed || in.Shape(x).Kind == in.Shape(v).Kind:
			out = append(out, &step{value: x, kind: kind})
		case in.even:
			out = append(out, &step{value: x, kind: Uneven})
		}
	}
	return out
}

// stored lists the varying values that barriers keep for load v.
func (in search) stored(v *kernel.Value) []*step {
	var out []*step
	k := in.Func.KeptIn(v.Args[0])
	if k == nil {
		return nil
	}
	for _, b := range in.Func.Blocks {
		for _, s := range b.Values {
			if s.Op == kernel.Store && in.Func.KeptIn(s.Args[0]) == k && !in.Uniform(s.Args[1]) {
				out = append(out, &step{value: s.Args[1], kind: Merged})
			}
		}
	}
	return out
}

// chain turns the path to last, an origin, into reasons.
func (in *Info) chain(last *step, origin ReasonKind) []Reason {
	var steps []*step
	for s := last; s != nil; s = s.from {
		steps = append(steps, s)
	}
	out := make([]Reason, len(steps))
	for i := range out {
		s := steps[len(steps)-1-i]
		kind, next := origin, (*step)(nil)
		if i+1 < len(out) {
			next = steps[len(steps)-2-i]
			kind = next.kind
		}
		r := Reason{Kind: kind, Value: s.value, Block: s.branch}
		if s.value != nil {
			r.Block, r.Pos = s.value.Block, valuePos(s.value)
		} else {
			r.Pos = s.branch.Pos
		}
		r.Text = in.text(r, next)
		out[i] = r
	}
	return out
}

// valuePos is the source position of v; a block parameter has the position of the first
// value of its block.
func valuePos(v *kernel.Value) diag.Pos {
	if v.Pos.IsValid() || v.Op != kernel.Param {
		return v.Pos
	}
	for _, x := range v.Block.Values {
		if x.Pos.IsValid() {
			return x.Pos
		}
	}
	return v.Block.Pos
}

// text describes r in a line; next is the cause.
func (in *Info) text(r Reason, next *step) string {
	line := ""
	if r.Pos.IsValid() {
		line = r.Pos.LineIn(in.Func.Pos.File) + ": "
	}
	if r.Value == nil {
		return line + fmt.Sprintf("the branch diverges, as %s differs between lanes", kernel.Describe(next.value))
	}
	what := kernel.Describe(r.Value)
	branch := func() string {
		if p := next.branch.Pos; p.IsValid() {
			return "the branch in " + p.LineIn(in.Func.Pos.File)
		}
		return "the branch of " + kernel.Label(next.branch)
	}
	switch r.Kind {
	case LaneID:
		return line + what + " differs between lanes"
	case VaryingLoad:
		return line + what + " is loaded from an address that differs between lanes"
	case PrivateLoad:
		return line + what + " is loaded from private memory, which is separate for each lane"
	case NextItem:
		return line + what + " differs between lanes, in no order: lanes that have left the loop take the next work-items"
	case SerializedAtomic:
		return line + what + " is the result of an atomic access, which serializes lanes"
	case Counter:
		return line + fmt.Sprintf("%s steps by %d in each iteration of the loop, and iterations are lanes", what, in.Shape(r.Value).Stride)
	case Carried:
		return line + what + " comes from the iteration before, and iterations are lanes"
	case Merged:
		return line + fmt.Sprintf("%s may be %s, which differs between lanes", what, kernel.Describe(next.value))
	case DivergentJoin:
		return line + fmt.Sprintf("%s depends on the path that a lane took from %s", what, branch())
	case TemporalExit:
		return line + fmt.Sprintf("%s is a value of a loop that lanes exit in different iterations, at %s", what, branch())
	case AsynchronousCycle:
		return line + fmt.Sprintf("%s is in an irreducible cycle in which lanes diverge at %s", what, branch())
	case Uneven:
		return line + fmt.Sprintf("%s is computed from %s, which is strided across lanes, but the result is not",
			what, kernel.Describe(next.value))
	}
	return line + fmt.Sprintf("%s is computed from %s, which differs between lanes", what, kernel.Describe(next.value))
}
