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

// why turns the reasons of the divergence analysis into links: a line for each
// line of the source on the way from effect to cause. What only passes a value
// on is left out, and so is the branch that the remark is about.
func (c *collector) why(reasons []divergence.Reason) []Link {
	if len(reasons) > 0 && reasons[0].Kind == divergence.DivergentBranch {
		reasons = reasons[1:]
	}
	reasons = c.whole(reasons)
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
			// An origin in the same line needs none of its own, nor does an id, which may be
			// asked for in any line.
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

// whole leaves out the pieces of expressions that passes replaced.
func (c *collector) whole(reasons []divergence.Reason) []divergence.Reason {
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

// passes reports whether a reason is another value's doing.
func passes(k divergence.ReasonKind) bool {
	return k == divergence.Computed || k == divergence.Merged || k == divergence.Uneven
}

// joins reports whether next needs no line of its own after those from first to
// last: it is computed in the same line, or another name for the same.
func (c *collector) joins(first, last, next divergence.Reason) bool {
	if last.Value == nil || next.Value == nil || last.Kind != divergence.Computed && last.Kind != divergence.Merged {
		return false
	}
	return c.describe(first.Value) == c.describe(next.Value) || next.Value.Op == kernel.PtrAdd ||
		next.Kind == divergence.Computed && c.reasonAt(first).SameLine(c.reasonAt(next))
}

// origin says what makes the value of r differ, where that is its own doing.
func (c *collector) origin(r divergence.Reason) string {
	if k := c.keptFor(r.Value); k != nil {
		return " is kept by each lane for itself across " + c.barriers(k, k.Pos)
	}
	switch r.Kind {
	case divergence.LaneID:
		return " differs from lane to lane"
	case divergence.VaryingLoad:
		return " is loaded from another address for every lane"
	case divergence.PrivateLoad:
		return " is loaded from private memory, of which every lane has its own"
	case divergence.NextItem:
		return " is another in every lane, in no order: lanes that have left the loop take the next work-items"
	case divergence.InTurn:
		return " is what an atomic access found, at which lanes take turns"
	}
	return " differs"
}

// keptFor says what keeps v across barriers, nil if nothing does.
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

// because says why r differs, in a line; next is the cause.
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
	case divergence.LaneID, divergence.VaryingLoad, divergence.PrivateLoad, divergence.InTurn, divergence.NextItem:
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
		return what + " comes from " + cause + ", which grows evenly from lane to lane, but " + what + " need not"
	case divergence.JoinOfParted:
		return what + " depends on the way that a lane took at " + branch()
	case divergence.LeavesInRounds:
		return what + " comes out of a loop that lanes leave in different rounds, at " + branch()
	case divergence.RunsInRounds:
		return what + " is in a cycle of several entries in which lanes part, at " + branch()
	case divergence.DivergentBranch:
		return "lanes part, as " + cause + " differs"
	}
	return r.Text
}

// labels are the names that the IR has for what the source has none for.
var labels = regexp.MustCompile(`(the address|the value merged in) [%\w.]+`)

// describe names v for a reader of the source, in backquotes where the source
// has that name or expression.
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
		return "a value that was merged"
	})
	if k := c.keptFor(v); k != nil && text == "a value in memory" {
		return "what is kept across " + c.barriers(k, c.valueAt(v))
	}
	switch text {
	case "the address", "a value that was merged", "a value in memory":
		return text
	}
	if !simple.MatchString(text) {
		if q := c.quote(v); q != "" {
			text = shortened(q)
		}
	}
	return "`" + text + "`"
}

// long reports whether v's description leaves something out, so that no reader
// would know it.
func long(v *kernel.Value) bool {
	return strings.Contains(strings.ReplaceAll(kernel.Describe(v), "[…]", ""), "…")
}

// object is the name of what p points into, "" if it has none.
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
	case p.Op == alu.Select: // of what the arms of a branch that was melded point into
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

// quoted is `name`, or other where there is no name.
func quoted(name, other string) string {
	if name == "" {
		return other
	}
	return "`" + name + "`"
}

// named lists names in words, the first few of them.
func named(names []string) string {
	const most = 4
	if len(names) > most {
		names = append(slices.Clone(names[:most]), fmt.Sprintf("%d more", len(names)-most))
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

// roots names what values are computed from in the end: arguments, loads, ids. Those that
// depend on constants alone have none. Other lines are named for a reader at a place.
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
					note(quoted(k.Object.Name, "what is kept across "+c.barriers(k, at)))
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
			note("what lanes exchange in " + c.valueAt(v).LineIn(at.File))
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
