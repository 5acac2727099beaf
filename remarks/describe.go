package remarks

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
)

// why turns the reasons of the divergence analysis into links, one per source line from
// effect to cause. Steps that only pass a value on are left out, and so is the branch that
// the remark is about.
func (c *collector) why(reasons []divergence.Reason) []Link {
	if len(reasons) > 0 && reasons[0].Kind == divergence.DivergentBranch {
		reasons = reasons[1:]
	}
	reasons = c.withoutReplaced(reasons)
	var out []Link
	for i := 0; i < len(reasons); {
		j := i + 1
		for ; j < len(reasons) && c.joins(reasons[i], reasons[j-1], reasons[j]); j++ {
		}
		r, next := reasons[j-1], divergence.Reason{}
		if passes(r.Kind) {
			r.Value, r.Block, r.Pos = reasons[i].Value, reasons[i].Block, reasons[i].Pos
		}
		if j < len(reasons) {
			next = reasons[j]
		}
		if text := c.because(r, next); text != "" {
			// An origin in the same line needs no link of its own, and neither does an id, which
			// is the same query in any line.
			id := next.Kind == divergence.LaneID && next.Value != nil && len(next.Value.Args) == 0
			if j == len(reasons)-1 && passes(r.Kind) && (id || r.Kind != divergence.Uneven && c.reasonAt(r).SameLine(c.reasonAt(next))) {
				if r.Kind != divergence.Uneven {
					text += ", which" + c.origin(next)
				}
				j++
			}
			out = append(out, linkAt(c.reasonAt(r), text))
		}
		i = j
	}
	return out
}

// withoutReplaced leaves out the parts of expressions that passes replaced.
func (c *collector) withoutReplaced(reasons []divergence.Reason) []divergence.Reason {
	var out []divergence.Reason
	for i := 0; i < len(reasons); i++ {
		r := reasons[i]
		if v := r.Value; v != nil && v.Replaced() && passes(r.Kind) {
			of := slices.IndexFunc(reasons[i+1:], func(r divergence.Reason) bool {
				return r.Value != nil && kernel.Describe(r.Value) == v.Was.Operand
			})
			if of > 0 {
				i += of
				if r.Kind = divergence.Computed; c.Info.Shape(v).Kind != c.Info.Shape(reasons[i+1].Value).Kind {
					r.Kind = divergence.Uneven
				}
			}
		}
		out = append(out, r)
	}
	return out
}

// passes reports whether a reason of kind k refers to another value.
func passes(k divergence.ReasonKind) bool {
	return k == divergence.Computed || k == divergence.Merged || k == divergence.Uneven
}

// joins reports whether next needs no link of its own after the links from first to last: it
// is computed in the same line, or has the same description.
func (c *collector) joins(first, last, next divergence.Reason) bool {
	if last.Value == nil || next.Value == nil || last.Kind != divergence.Computed && last.Kind != divergence.Merged {
		return false
	}
	return c.describe(first.Value) == c.describe(next.Value) || next.Value.Op == kernel.PtrAdd ||
		next.Kind == divergence.Computed && c.reasonAt(first).SameLine(c.reasonAt(next))
}

// origin describes why r's value differs, if it is an origin.
func (c *collector) origin(r divergence.Reason) string {
	if k := c.keptFor(r.Value); k != nil {
		return " is kept per lane across " + c.barriers(k, k.Pos)
	}
	switch r.Kind {
	case divergence.LaneID:
		return " differs from lane to lane"
	case divergence.VaryingLoad:
		return " is loaded from a different address in each lane"
	case divergence.PrivateLoad:
		return " is loaded from private memory, which is separate for each lane"
	case divergence.NextItem:
		return " differs between lanes, in no order: lanes that have left the loop take the next work-items"
	case divergence.SerializedAtomic:
		return " is the result of an atomic access, which serializes lanes"
	}
	return " differs"
}

// keptFor returns the object that keeps v across barriers, nil if there is none.
func (c *collector) keptFor(v *kernel.Value) *kernel.Kept {
	if v == nil || v.Op != kernel.Load {
		return nil
	}
	if k := c.Kernel.KeptIn(v.Args[0]); k != nil && len(k.Barriers) > 0 {
		return k
	}
	return nil
}

func (c *collector) reasonAt(r divergence.Reason) diag.Pos {
	switch {
	case r.Pos.IsValid():
		return r.Pos
	case r.Value != nil:
		return c.valueAt(r.Value)
	case r.Block != nil:
		return c.branchAt(r.Block)
	}
	return c.start
}

// because describes in one line why r differs; next is the cause.
func (c *collector) because(r, next divergence.Reason) string {
	name := func(r divergence.Reason, other string) string {
		switch {
		case r.Value == nil:
			return "the branch"
		case long(r.Value):
			return other
		}
		return c.describe(r.Value)
	}
	what, cause := name(r, "it"), name(next, "an expression of "+c.reasonAt(next).LineIn(c.reasonAt(r).File))
	branch := func() string { return "the branch of " + c.reasonAt(next).LineIn(c.reasonAt(r).File) }
	switch r.Kind {
	case divergence.LaneID, divergence.VaryingLoad, divergence.PrivateLoad, divergence.SerializedAtomic, divergence.NextItem:
		return what + c.origin(r)
	case divergence.Computed, divergence.Merged:
		if what == cause {
			return ""
		}
		return what + " comes from " + cause
	case divergence.Uneven:
		if what == cause {
			return ""
		}
		return what + " comes from " + cause + ", which is strided across lanes, but " + what + " need not be"
	case divergence.DivergentJoin:
		return what + " depends on the path that a lane took from " + branch()
	case divergence.TemporalExit:
		return what + " is a value of a loop that lanes exit in different iterations, at " + branch()
	case divergence.AsynchronousCycle:
		return what + " is in a cycle of several entries in which lanes diverge, at " + branch()
	case divergence.DivergentBranch:
		return "lanes diverge, as " + cause + " differs"
	}
	return r.Text
}

// labels matches the IR names of values that have no name in the source.
var labels = regexp.MustCompile(`(the address|the value merged in) [%\w.]+`)

// describe names v as the source does, in backquotes if the source has that name or
// expression.
func (c *collector) describe(v *kernel.Value) string {
	text := kernel.Describe(v)
	if from := v; from.Op == kernel.Load || from.Op == kernel.Component {
		if from.Op == kernel.Component {
			from = from.Args[0]
		}
		if o := c.object(from.Args[0]); o != "" && strings.HasPrefix(text, "a value in memory") {
			text = o + "[…]"
		}
	}
	text = labels.ReplaceAllStringFunc(text, func(s string) string {
		if strings.HasPrefix(s, "the address") {
			return "the address"
		}
		return "a merged value"
	})
	if k := c.keptFor(v); k != nil && text == "a value in memory" {
		return "a value kept across " + c.barriers(k, c.valueAt(v))
	}
	switch text {
	case "the address", "a merged value", "a value in memory":
		return text
	}
	if !simple.MatchString(text) {
		if q := c.quote(v); q != "" {
			text = shortened(q)
		}
	}
	return "`" + text + "`"
}

// long reports whether v's description is abridged and so not recognizable.
func long(v *kernel.Value) bool {
	return strings.Contains(strings.ReplaceAll(kernel.Describe(v), "[…]", ""), "…")
}

// object is the name of the object that p points into, "" if it has none.
func (c *collector) object(p *kernel.Value) string {
	at := p
	p = root(p)
	switch {
	case p.Op == kernel.Argument && c.Kernel.Args[p.Index].Kind == kernel.ArgVariables:
		return kernel.VariableAt(at)
	case p.Op == kernel.Argument || p.Op == kernel.ArgAddr:
		return c.Kernel.Args[p.Index].Name
	case p.Op == kernel.DataAddr && p.Index < len(c.Kernel.Data):
		name, _, _ := strings.Cut(c.Kernel.Data[p.Index].Name, ".") // numbered, as scopes may share names
		return name
	case p.Op == alu.Select: // pointers of a melded branch, one per arm
		a, b := c.object(p.Args[1]), c.object(p.Args[2])
		switch {
		case a == b:
			return a
		case a != "" && b != "":
			return a + " or " + b
		}
		return ""
	}
	return p.Name
}

// quoted is `name`, or other if name is empty.
func quoted(name, other string) string {
	if name == "" {
		return other
	}
	return "`" + name + "`"
}

// named lists names in prose, the first few of them.
func named(names []string) string {
	const limit = 4
	if len(names) > limit {
		names = append(slices.Clone(names[:limit]), fmt.Sprintf("%d more", len(names)-limit))
	}
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

// roots names the arguments, loads and ids that values are computed from. A value that
// depends only on constants has none. Positions are given relative to at.
func (c *collector) roots(at diag.Pos, work ...*kernel.Value) []string {
	var names []string
	seen := map[*kernel.Value]bool{}
	note := func(s string) {
		if !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	work = slices.Clone(work)
	for len(work) > 0 {
		v := work[0]
		work = work[1:]
		if seen[v] {
			continue
		}
		seen[v] = true
		switch v.Op {
		case kernel.Const, kernel.Alloca:
		case kernel.Argument, kernel.ArgAddr:
			if c.Kernel.Args[v.Index].Kind == kernel.ArgVariables {
				continue // their address is a constant
			}
			note("`" + c.Kernel.Args[v.Index].Name + "`")
		case kernel.Load:
			if k := c.Kernel.KeptIn(v.Args[0]); k != nil {
				if len(k.Barriers) > 0 {
					note(quoted(k.Object.Name, "a value kept across "+c.barriers(k, at)))
				}
				continue
			}
			if c.stateOfGroup(v) {
				continue
			}
			note("a uniform load from " + quoted(c.object(v.Args[0]), "memory"))
		case kernel.Param:
			for _, a := range c.args[v] {
				work = append(work, a.value)
			}
		case kernel.Component:
			work = append(work, v.Args[0])
		case kernel.Ballot, kernel.Shuffle:
			note("values exchanged between lanes in " + c.valueAt(v).LineIn(at.File))
		default:
			if len(v.Args) == 0 {
				note(c.describe(v))
			}
			work = append(work, v.Args...)
		}
	}
	return names
}

// about formats a cost.
func about(ns float64) string { return fmt.Sprintf("about %.3g ns", ns) }
