package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/simtc/simtc/vir"
)

// Candidate is one way to compile a kernel.
type Candidate struct {
	Name  string // what reports call it
	Width int
	// Build makes the code. It leaves alone what it is made from.
	Build func() (*vir.Func, error)

	Tried    bool
	Late     bool // tried when the choice was made
	Size     int  // operations
	Estimate Estimate
}

// Plan is a choice among candidates.
type Plan struct {
	Candidates []Candidate
	Chosen     int // index of the cheapest
	Reason     string
}

// bigKernel is how many operations of the first candidate make planning spare.
const bigKernel = 5000

// margin is what code wider than two registers must save: it is long, and ends
// of ranges leave more of its lanes unused.
const margin = 0.015

// growth is what code that is half as long again as another must save.
const growth = 0.04

// Choose prices candidates and picks the cheapest for a work-item. A family is
// one way to make the control flow uniform, ascending in width. Not all are
// built: in the first family, from the width that fills a register it goes on
// to wider ones as long as they get cheaper, else to narrower ones; width 1 is
// always tried. The other families are compared at the width that was chosen.
// Of big kernels only the first two are built.
func (c *Costs) Choose(families ...[]Candidate) (*Plan, error) {
	p := &Plan{Chosen: -1}
	for _, f := range families {
		p.Candidates = append(p.Candidates, f...)
	}
	if len(p.Candidates) == 0 {
		return nil, fmt.Errorf("plan: no candidates")
	}
	best, least := math.Inf(1), 0 // least: operations of the shortest candidate
	// try reports whether candidate i is the cheapest so far.
	try := func(i int) (bool, error) {
		if p.Candidates[i].Tried {
			return false, nil
		}
		if err := c.Try(&p.Candidates[i]); err != nil {
			return false, err
		}
		x := p.Candidates[i]
		ns := x.Estimate.PerItem
		if x.Width > 2*c.Lanes {
			ns *= 1 + margin
		}
		if least > 0 && x.Size > least*3/2 {
			ns *= 1 + growth
		}
		if x.Width > 1 && (least == 0 || x.Size < least) {
			least = x.Size
		}
		if ns >= best {
			return false, nil
		}
		best, p.Chosen = ns, i
		return true, nil
	}
	first := families[0]
	middle := 0
	for i, x := range first {
		if x.Width <= c.Lanes {
			middle = i
		}
	}
	if _, err := try(middle); err != nil {
		return nil, err
	}
	big := p.Candidates[middle].Size > bigKernel
	if !big {
		wider := false
		for i := middle + 1; i < len(first); i++ {
			better, err := try(i)
			if err != nil {
				return nil, err
			}
			if !better {
				break
			}
			wider = true
		}
		for i := middle - 1; i >= 0 && !wider && first[i].Width > 1; i-- {
			better, err := try(i)
			if err != nil {
				return nil, err
			}
			if !better {
				break
			}
		}
	}
	if first[0].Width == 1 {
		if _, err := try(0); err != nil {
			return nil, err
		}
	}
	width := p.Candidates[p.Chosen].Width
	for i := len(first); i < len(p.Candidates) && !big; i++ {
		if p.Candidates[i].Width == width {
			if _, err := try(i); err != nil {
				return nil, err
			}
		}
	}
	p.Reason = p.reason()
	return p, nil
}

// TryRest prices the candidates that were not looked at to choose.
func (c *Costs) TryRest(p *Plan) error {
	for i := range p.Candidates {
		if x := &p.Candidates[i]; !x.Tried {
			x.Late = true
			if err := c.Try(x); err != nil {
				return err
			}
		}
	}
	return nil
}

// Try builds a candidate and prices it.
func (c *Costs) Try(x *Candidate) error {
	f, err := x.Build()
	if err != nil {
		return err
	}
	x.Tried, x.Size, x.Estimate = true, size(f), c.Price(f)
	return nil
}

func size(f *vir.Func) int {
	n := 0
	for _, b := range f.Blocks {
		n += len(b.Values)
	}
	return n
}

// part is a contributor to an estimate.
type part struct {
	kind Kind
	ns   float64
}

// largest returns the contributors of at least a tenth, the largest first.
func (e Estimate) largest() []part {
	var out []part
	for k, ns := range e.Parts {
		if ns >= e.PerItem/10 && ns > 0 {
			out = append(out, part{Kind(k), ns})
		}
	}
	slices.SortStableFunc(out, func(a, b part) int {
		switch {
		case a.ns > b.ns:
			return -1
		case a.ns < b.ns:
			return 1
		}
		return 0
	})
	return out
}

// String formats the table of candidates. Costs are ns for each work-item. A
// star marks the choice, a dash what was not looked at for it.
func (p *Plan) String() string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  candidate\tns/item\tmainly")
	for i, x := range p.Candidates {
		mark := " "
		if i == p.Chosen {
			mark = "*"
		}
		if !x.Tried {
			fmt.Fprintf(t, "%s %s\t-\tnot tried\n", mark, x.Name)
			continue
		}
		var parts []string
		for _, y := range x.Estimate.largest() {
			parts = append(parts, fmt.Sprintf("%s %.3g", y.kind, y.ns))
		}
		if x.Late {
			mark = "-"
		}
		fmt.Fprintf(t, "%s %s\t%.3g\t%s\n", mark, x.Name, x.Estimate.PerItem, strings.Join(parts, ", "))
	}
	t.Flush()
	b.WriteString(p.Reason + "\n")
	return b.String()
}

// reason says in a sentence why the chosen candidate is the cheapest: what the
// runner-up spends more on.
func (p *Plan) reason() string {
	chosen := p.Candidates[p.Chosen]
	second := -1
	for i, x := range p.Candidates {
		if x.Tried && i != p.Chosen && (second < 0 || x.Estimate.PerItem < p.Candidates[second].Estimate.PerItem) {
			second = i
		}
	}
	if second < 0 {
		return fmt.Sprintf("%s is the only candidate.", chosen.Name)
	}
	other := p.Candidates[second]
	if other.Estimate.PerItem < chosen.Estimate.PerItem {
		return fmt.Sprintf("%s: %s saves too little to be worth its length.", chosen.Name, other.Name)
	}
	most, gap := Arithmetic, math.Inf(-1)
	for k, ns := range other.Estimate.Parts {
		if d := ns - chosen.Estimate.Parts[k]; d > gap {
			most, gap = Kind(k), d
		}
	}
	than := other.Name
	if other.Width == 1 {
		than = "one work-item at a time"
	}
	if gap <= 0 {
		return fmt.Sprintf("%s: as good as %s.", chosen.Name, than)
	}
	return fmt.Sprintf("%s: %.2f times as fast as %s, which spends more on %s (%.3g against %.3g ns for each work-item).",
		chosen.Name, other.Estimate.PerItem/chosen.Estimate.PerItem, than, most, other.Estimate.Parts[most], chosen.Estimate.Parts[most])
}
