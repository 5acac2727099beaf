package remarks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/vir"
)

// width reports the strategy, if it was chosen by the plan.
func (c *collector) width() {
	if c.Reason == "" {
		return
	}
	reason := strings.TrimSuffix(c.Reason, ".")
	how, why, ok := strings.Cut(reason, ": ")
	if !ok {
		how, why = c.Linearizer, reason
	}
	d := c.add(Width, c.start, fmt.Sprintf(" %d (%s): %s", c.Vector.Width, how, why))
	if !c.wide() {
		d.rest = " 1, one work-item at a time: " + why
		d.help = "the other remarks describe a vector form, as with --width: they show what makes it slower"
	}
}

// dimension reports lanes along another dimension than the first.
func (c *collector) dimension() {
	d, joined := c.Kernel.LaneDim, c.Kernel.Joined[0] > 0
	if d != 0 || joined {
		text := fmt.Sprintf(" %d", d)
		if joined {
			text = "s 0 and 1"
		}
		if c.LaneDim != "" {
			text += ": " + c.LaneDim
		}
		c.add(Dimension, c.start, text)
	}
}

// groups reports kernels that depend on their work-group, so that lanes are work-items of one
// row of a group.
func (c *collector) groups() {
	if !c.wide() {
		return
	}
	for _, b := range c.Kernel.Blocks {
		for _, v := range b.Values {
			if v.Op != kernel.LocalID && v.Op != kernel.GroupID && v.Op != kernel.LocalSize {
				continue
			}
			w := c.Vector.Width
			size := c.Kernel.ReqdWorkGroupSize[0]
			if size > 0 && size%w == 0 {
				return
			}
			text := fmt.Sprintf(": %s depends on the group, so lanes are work-items of one row of a group", c.describe(v))
			if size > 0 {
				text += fmt.Sprintf("; %d work-items fill %d of %d lanes", size, min(size, (size-1)%w+1), w)
				if size > w {
					text += " in the last strip"
				}
			}
			d := c.add(Groups, c.valueAt(v), text)
			d.help = fmt.Sprintf("no lane idles if the %s dimension of the local size is a multiple of %d", [...]string{"first", "second", "third"}[c.Kernel.LaneDim], w)
			return // one remark per kernel
		}
	}
}

// slow reports vector operations that take many times as long as an addition.
func (c *collector) slow() {
	if !c.wide() {
		return
	}
	const many = 6
	var ops []vir.Op
	for _, op := range vir.Ops() {
		if op.Pure() && !slices.Contains(divisions, op) {
			ops = append(ops, op)
		}
	}
	c.eachOnce(ops, func(v *vir.Value) {
		t := v.Type
		for _, a := range v.Args {
			if a.Type.Bits() > t.Bits() {
				t = a.Type
			}
		}
		add := alu.Add
		if t.Elem.IsFloat() {
			add = alu.FAdd
		}
		ns, cheap := c.Costs.Operation(v.Op, t), c.Costs.Operation(add, t)
		if !v.Pos.IsValid() || t.IsMask() || cheap == 0 || ns < many*cheap {
			return
		}
		d := c.add(Slow, v.Pos, fmt.Sprintf(": %s of %d %s, %s (an addition: %.2g)", operationName(v.Op), t.Lanes, t.Elem, about(ns), cheap)).in(c.blockOf(v))
		d.ns = ns
	})
}

// emulatedFMA reports fused multiply-adds where the target has no instruction for them.
func (c *collector) emulatedFMA() {
	if c.EmulatedFMA == "" {
		return
	}
	for _, b := range c.Kernel.Blocks {
		for _, v := range b.Values {
			if v.Op == alu.FMA {
				c.add(FMA, c.valueAt(v), ": "+c.EmulatedFMA).in(b).help = c.FMAHelp
			}
		}
	}
}

// operationName names op for the reader of a remark.
func operationName(op vir.Op) string {
	switch op {
	case alu.FDiv:
		return "a division"
	case alu.FSqrt:
		return "a square root"
	}
	return vir.InfoOf(op).Name
}

// divisions are the integer divisions.
var divisions = []vir.Op{alu.UDiv, alu.SDiv, alu.URem, alu.SRem}

// notes converts the notes of the kernel's passes to remarks.
func (c *collector) notes() {
	for _, n := range slices.Concat(c.Kernel.Notes, c.Notes) {
		at := n.Pos
		if !at.IsValid() {
			at = c.start
		}
		if indexOf(n.Kind) >= 0 {
			text := n.Text
			if !strings.HasPrefix(text, ":") {
				text = " " + text
			}
			c.add(n.Kind, at, text)
		}
	}
}

// divisions reports vector divisions of integers.
func (c *collector) divisions() {
	if !c.wide() {
		return
	}
	c.eachOnce(divisions, func(v *vir.Value) {
		at := v.Pos
		if !at.IsValid() {
			at = c.start
		}
		ns := c.Costs.Operation(v.Op, v.Type)
		d := c.add(Division, at, fmt.Sprintf(" of %d %s, %s (a multiplication: %.2g): no vector instruction divides integers",
			v.Type.Lanes, v.Type.Elem, about(ns), c.Costs.Operation(alu.Mul, v.Type))).in(c.blockOf(v))
		d.ns = ns
		d.help = "division by a constant and division of floats are cheap"
	})
}

// spills reports the spill code in loops, merged by line, innermost loops first. Spill code
// outside of the kernel's loops is reported together.
func (c *collector) spills() {
	places := map[diag.Pos]diag.Pos{} // the first of each line
	for _, b := range c.Vector.Blocks {
		for _, v := range b.Values {
			line := v.Pos
			line.Col = 0
			if p, ok := places[line]; v.Pos.IsValid() && (!ok || v.Pos.Col < p.Col) {
				places[line] = v.Pos
			}
		}
	}
	help := ""
	if c.wide() {
		help = "a smaller --width needs fewer registers for each value"
	}
	strips, around := Spills{}, Spills{}
	var lines []diag.Pos
	in := map[diag.Pos][]Spills{}
	for _, s := range c.Spills {
		switch at, ok := places[s.At]; {
		case s.Depth == 0 && s.Strip:
			strips.add(s)
		case s.Depth == 0:
			around.add(s)
		default:
			if !ok {
				at = c.start
			}
			if in[at] == nil {
				lines = append(lines, at)
			}
			if i := slices.IndexFunc(in[at], func(x Spills) bool { return x.Depth == s.Depth }); i >= 0 {
				in[at][i].add(s)
			} else {
				in[at] = append(in[at], s)
			}
		}
	}
	copies := ""
	if len(c.Report.Copies) > 0 || len(c.twice) > 0 {
		copies = ", summed over all copies of the code"
	}
	for _, at := range lines {
		list := slices.SortedStableFunc(slices.Values(in[at]), func(x, y Spills) int { return y.Depth - x.Depth })
		text := fmt.Sprintf(": %s in each iteration", list[0])
		for _, s := range list[1:] {
			text += fmt.Sprintf(", %s in each iteration of an enclosing loop", s)
		}
		ns := c.traffic(list[0])
		d := c.add(Spill, at, fmt.Sprintf("%s%s: more values are live than there are registers (%s)", text, copies, about(ns)))
		d.ns, d.help = ns, help
	}
	var parts []string
	if strips.Stores+strips.Reloads > 0 {
		items := "work-item"
		if c.wide() {
			items = fmt.Sprintf("%d work-items", c.Vector.Width)
		}
		parts = append(parts, fmt.Sprintf("%s for each %s", strips, items))
	}
	if around.Stores+around.Reloads > 0 {
		parts = append(parts, fmt.Sprintf("%s at most once for a row of work-items", around))
	}
	if len(parts) > 0 {
		ns := c.traffic(strips)
		d := c.add(Spill, c.start, ": "+strings.Join(parts, ", ")+", outside of the kernel's own loops"+copies)
		if ns > 0 {
			d.rest += fmt.Sprintf(" (%s)", about(ns))
		}
		d.ns, d.help = ns, help
	}
}

// traffic is the cost of stores and reloads.
func (c *collector) traffic(s Spills) float64 {
	return float64(s.Stores)*max(0, c.Costs.Spill-c.Costs.Reload) + float64(s.Reloads)*c.Costs.Reload
}

func (s *Spills) add(x Spills) {
	s.Stores += x.Stores
	s.Reloads += x.Reloads
}

// String formats the numbers of stores and reloads.
func (s Spills) String() string {
	stores, reloads := diag.Count(s.Stores, "store"), diag.Count(s.Reloads, "reload")
	switch {
	case s.Reloads == 0:
		return stores
	case s.Stores == 0:
		return reloads
	}
	return stores + " and " + reloads
}
