package iterations

import (
	"fmt"
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/dependence"
)

// Description describes a loop as a candidate for iterations as lanes.
type Description struct {
	Header  *kernel.Block
	Trips   string   // the trip count
	Exits   []string // one for each edge out of the loop
	Form    string   // of the vector loop; "" if there is none
	Refusal string   // the reason why there is none
	Carried []dependence.Dependence
	// Depths are the options Depth that make this loop's iterations lanes: see Depths.
	Depths []int
	// Required means that the source requires the vector loop.
	Required bool
}

// Describe describes all loops of the prepared kernel f, outer before inner.
func Describe(f *kernel.Func, o Options) []Description {
	g := kernel.Clone(f)
	splitSums(g)
	counted := countExits(g)
	out := describe(g, o)
	for _, o.Depth = range depths(g, o) {
		for _, header := range chosen(g, o) {
			i := slices.IndexFunc(out, func(d Description) bool { return d.Header == header })
			out[i].Depths = append(out[i].Depths, o.Depth)
		}
	}
	for i, d := range out {
		out[i].Header = f.Blocks[d.Header.ID]
		if slices.Contains(counted, d.Header.ID) {
			out[i].Trips = "computed before the loop"
		}
	}
	return out
}

// describe is Describe without the depths.
func describe(f *kernel.Func, o Options) []Description {
	g := f.Graph()
	loops := cfg.Cycles(g)
	in, dom := opt.InEdges(f), cfg.Dominators(g)
	var out []Description
	for _, c := range loops.Cycles {
		l := newLoop(f, loops, dom, c, in, o)
		d := Description{Header: l.header, Trips: l.tripText(), Refusal: l.refusal, Carried: l.carried}
		request := f.Request(l.header)
		d.Required = request != nil && !request.Forbidden
		for _, x := range l.exits {
			d.Exits = append(d.Exits, l.exitText(x))
		}
		switch {
		case l.refusal != "":
		case f.ByGroup() || f.Uses(kernel.Atomic, kernel.CmpXchg, kernel.Fence):
			d.Refusal = "the kernel has effects of its work-group, or atomic ones"
		case request != nil && request.Forbidden:
			d.Refusal = "the source forbids it"
		case l.certain:
			d.Form = "the lanes below the limit run"
		case l.twice:
			d.Form = "the exits of all lanes are decided before the lanes up to the first exit run"
		default:
			d.Form = "all lanes run; those after the first exit have no effect"
		}
		if d.Form != "" && l.mayStop {
			d.Form += "; accesses are checked first"
		}
		if d.Form != "" && len(l.rows) > 0 {
			d.Form += fmt.Sprintf("; rows must be shorter than %d", dependence.MaxRow)
		}
		if d.Form != "" && len(l.distances) > 0 {
			d.Form += fmt.Sprintf("; %s between addresses must be large or backwards", diag.Count(len(l.distances), "distance"))
		}
		out = append(out, d)
	}
	return out
}

// Notes are the remarks about loops of f whose iterations depend on each other through memory.
func Notes(f *kernel.Func, o Options) []kernel.Note {
	var out []kernel.Note
	for _, d := range describe(f, o) {
		if len(d.Carried) > 0 {
			out = append(out, kernel.Note{Pos: d.Header.Pos, Kind: "dependence", Text: ": " + d.Carried[0].String()})
		}
	}
	return out
}

// tripText describes the trip count.
func (l *loop) tripText() string {
	if len(l.exits) != 1 || l.exits[0].From != l.header {
		return "unknown"
	}
	k, limit, _ := l.count()
	if k == nil {
		return "unknown"
	}
	text := fmt.Sprintf("counted to %s", kernel.Ref(limit))
	if by := l.step[k]; by != 1 {
		text += fmt.Sprintf(" by %d", by)
	}
	return text
}

// exitText describes an exit.
func (l *loop) exitText(x opt.InEdge) string {
	text := fmt.Sprintf("from %s to %s: ", kernel.Label(x.From), kernel.Label(x.Edge().To))
	c := x.From.Cond
	switch {
	case c == nil:
		return text + "unconditional"
	case !l.inside(c.Block):
		return text + "invariant"
	case l.reads(c):
		return text + "depends on data"
	}
	return text + "counted"
}

// reads reports whether v depends on a load of the loop, or on a value that an iteration passes
// to the next and that is no counter.
func (l *loop) reads(v *kernel.Value) bool {
	seen := map[*kernel.Value]bool{}
	var visit func(v *kernel.Value) bool
	visit = func(v *kernel.Value) bool {
		if seen[v] || !l.inside(v.Block) || l.step[v] != 0 {
			return false
		}
		seen[v] = true
		if v.Op == kernel.Load || v.Op == kernel.Param && v.Block == l.header {
			return true
		}
		if v.Op == kernel.Param {
			for _, e := range l.in[v.Block.ID] {
				if visit(e.Edge().Args[v.Index]) {
					return true
				}
			}
		}
		for _, a := range v.Args {
			if visit(a) {
				return true
			}
		}
		return false
	}
	return visit(v)
}
