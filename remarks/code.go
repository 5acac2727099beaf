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

// width tells how the kernel is compiled, where that was chosen.
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
		d.rest = " 1, each work-item by itself: " + why
		d.help = "what follows is about lanes, as with --width; it is what a vector form would suffer from"
	}
}

// groups tells of kernels that can tell work-groups apart: lanes are work-items
// of one row of a group.
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
			text := fmt.Sprintf(": %s tells them apart, so that lanes are work-items of one row of a group", c.describe(v))
			if size > 0 {
				text += fmt.Sprintf("; %d work-items fill %d of %d lanes", size, min(size, (size-1)%w+1), w)
				if size > w {
					text += " the last time"
				}
			}
			d := c.add(Groups, c.valueAt(v), text)
			d.help = fmt.Sprintf("a local size whose first number is a multiple of %d leaves no lane idle", w)
			return // once
		}
	}
}

// slow tells of operations on vectors that take many times what an addition does.
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

// operationName is what readers call op.
func operationName(op vir.Op) string {
	switch op {
	case alu.FDiv:
		return "a division"
	case alu.FSqrt:
		return "a square root"
	}
	return vir.InfoOf(op).Name
}

// divisions are the divisions of integers.
var divisions = []vir.Op{alu.UDiv, alu.SDiv, alu.URem, alu.SRem}

// notes passes on what the passes over the kernel noted.
func (c *collector) notes() {
	for _, n := range c.Kernel.Notes {
		at := n.Pos
		if !at.IsValid() {
			at = c.start
		}
		if indexOf(n.Kind) >= 0 {
			c.add(n.Kind, at, " "+n.Text)
		}
	}
}

// divisions tells of vectors of integers that are divided.
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
		d := c.add(Division, at, fmt.Sprintf(" of %d %s, %s (a multiplication: %.2g): no vector instruction does it",
			v.Type.Lanes, v.Type.Elem, about(ns), c.Costs.Operation(alu.Mul, v.Type))).in(c.blockOf(v))
		d.ns = ns
		d.help = "a divisor that is constant, or a division of floats, is cheap"
	})
}

// spills tells of the values that find no register in loops, those of a line together: the
// innermost loops come first. Those that are in none of the kernel's are told together.
func (c *collector) spills() {
	places := map[diag.Pos]diag.Pos{} // the first in each line
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
		copies = ", all copies of the code taken together"
	}
	for _, at := range lines {
		list := slices.SortedStableFunc(slices.Values(in[at]), func(x, y Spills) int { return y.Depth - x.Depth })
		text := fmt.Sprintf(": %s in each round", list[0])
		for _, s := range list[1:] {
			text += fmt.Sprintf(", %s in each of a loop around it", s)
		}
		ns := c.traffic(list[0])
		d := c.add(Spill, at, fmt.Sprintf("%s%s: more values are needed than there are registers (%s)", text, copies, about(ns)))
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

// traffic prices stores and reloads.
func (c *collector) traffic(s Spills) float64 {
	return float64(s.Stores)*max(0, c.Costs.Spill-c.Costs.Reload) + float64(s.Reloads)*c.Costs.Reload
}

func (s *Spills) add(x Spills) {
	s.Stores += x.Stores
	s.Reloads += x.Reloads
}

// String counts stores and reloads in words.
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
