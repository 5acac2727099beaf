package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/simtc/simtc/vir"
)

// MostRounds is the largest number of a loop's rounds that is told from larger ones.
const MostRounds = 249

// Candidate is one way to compile a kernel.
type Candidate struct {
	Name  string // what reports call it
	Width int
	// Linearizer tells the ways apart to make control flow uniform.
	Linearizer int
	// RoundsOfOne tells that the lanes are rounds of loops of one work-item.
	RoundsOfOne bool
	// Refills tells that lanes which have nothing to do take other work-items. What Build
	// makes is the code in which they do not.
	Refills bool
	// Bare tells that nothing is skipped where no lane needs it.
	Bare bool
	// Row is how many work-items there are in a row, 0 if they are many.
	Row int
	// Rounds is how often the kernel's loops go round that constants tell of, the
	// most of those in no other loop, whatever has become of them in the code; 0:
	// there are none.
	Rounds int
	// Heavy tells that all of what work-items may be put off for is done by whoever needs
	// it, but for how often its loops go round: no argument says that it is next to nothing.
	Heavy bool
	// Build makes the code. It leaves alone what it is made from.
	Build func() (*vir.Func, error)

	Tried    bool
	Late     bool // tried when the choice was made
	TooLong  bool // the target may refuse it: chosen only for want of others
	Size     int  // operations
	Estimate Estimate

	unsure bool // left to launches
}

// Unsure reports whether the plan leaves it to launches to choose x, as what it takes depends on
// the data.
func (x *Candidate) Unsure() bool { return x.unsure }

// Family is one way to make the control flow uniform, in several widths,
// ascending.
type Family struct {
	Candidates []Candidate
	// Skip reports whether the family has nothing that those before it have
	// not; nil: it has. It is asked when those are built.
	Skip func() bool
}

// Plan is a choice among candidates.
type Plan struct {
	Candidates []Candidate // of all families
	Chosen     int         // index of the cheapest
	Reason     string
	Doubt      string // what launches are left to find out, "" for nothing

	families []span
	refused  int // the least width whose code the target refused; 0: none
}

// span is where a family's candidates are.
type span struct{ from, to int }

// bigKernel is how many operations of the first candidate make planning spare.
const bigKernel = 5000

// margin is what each doubling of a vector beyond one register must save, for the
// code is longer, and ends of ranges leave more of its lanes unused; and each
// halving below it, for what costs the same where registers are passed in halves
// costs twice as much elsewhere.
const margin = 0.013

// rarely is the share of work-items up to which a heavy part of theirs is put off before
// launches have found that this pays: what it costs is then little, whatever the part
// turns out to be. So it is if the part is heavy, and putting off all of them costs no more
// than atWorst times what the best way costs in which any lane holds up the others.
const rarely, atWorst = 1.0 / 16, 1.1

// sure is by how much lanes that are rounds must come out faster: how often a loop goes
// round is not known as a rule, and there are few where it is seldom.
const sure = 1.3

// spared is by how much vector code that skips nothing must come out faster than other. Whether
// lanes agree is hard to tell, and it saves little where they never do, but may cost many times
// as much where they mostly do.
const spared = 1.08

// Choose prices candidates and picks the cheapest for a work-item. Of each
// family only one width is built, that which fills two registers, and the
// others are priced by it; width 1, scalar code, is built besides. Of big
// kernels only the first family is looked at.
func (c *Costs) Choose(families ...Family) (*Plan, error) {
	p, err := list(families)
	if err != nil {
		return nil, err
	}
	least := 0 // operations of the shortest vector code
	for n, f := range families {
		if n > 0 && (least > bigKernel || f.Skip != nil && f.Skip()) {
			continue
		}
		if err := c.try(p, p.families[n]); err != nil {
			return nil, err
		}
		for i := p.families[n].from; i < p.families[n].to; i++ {
			if x := p.Candidates[i]; x.Width > 1 && (least == 0 || x.Size < least) {
				least = x.Size
			}
		}
	}
	c.pick(p)
	return p, nil
}

// pick chooses among the candidates that were looked at, of fewer lanes than what was
// refused. It reports whether there is one.
func (c *Costs) pick(p *Plan) bool {
	p.Chosen = -1
	p.doubtful()
	scalar, scalarNS := -1, math.Inf(1)
	best, vectorNS := math.Inf(1), math.Inf(1) // with what is not spared, and without
	for i, x := range p.Candidates {
		if !x.Tried || x.Late || p.refused > 0 && x.Width >= p.refused {
			continue
		}
		ns := x.Estimate.PerItem
		if x.RoundsOfOne {
			ns *= sure
		}
		if x.Width > 1 {
			ns *= 1 + margin*math.Abs(math.Log2(float64(x.Width)/float64(c.Lanes)))
		}
		if x.TooLong || x.unsure && len(p.families) > 1 {
			ns = math.MaxFloat64
		}
		if x.Width == 1 {
			if ns < scalarNS {
				scalar, scalarNS = i, ns
			}
			continue
		}
		vectorNS = min(vectorNS, ns)
		if x.Bare {
			ns = min(ns*spared, math.MaxFloat64)
		}
		if ns < best {
			best, p.Chosen = ns, i
		}
	}
	if scalar >= 0 && (p.Chosen < 0 || scalarNS <= vectorNS) {
		p.Chosen = scalar
	}
	if p.Chosen < 0 {
		return false
	}
	p.Reason, p.Doubt = p.reason(), p.doubt()
	return true
}

// Narrower returns the plan for a target that refused the code of the choice for its
// length, with another choice: one of fewer lanes. It is nil if there is none. p itself
// stays as it is.
func (c *Costs) Narrower(p *Plan) (*Plan, error) {
	n := *p
	n.Candidates = slices.Clone(p.Candidates)
	n.refused = p.Candidates[p.Chosen].Width
	for i := range n.Candidates {
		x := &n.Candidates[i]
		x.TooLong = x.TooLong || x.Width >= n.refused
	}
	if c.pick(&n) {
		return &n, nil
	}
	// Planned briefly, others were not looked at.
	if n.Candidates[n.families[0].from].Width >= n.refused {
		return nil, nil
	}
	if err := c.try(&n, n.families[0]); err != nil {
		return nil, err
	}
	c.pick(&n)
	return &n, nil
}

// doubtful marks what is left to launches, if there are other families: how many work-items
// it puts off is not known to be few, and would matter; or how evenly its lanes are busy is
// not known.
func (p *Plan) doubtful() {
	best := p.cheapest(math.Inf(1), func(_ int, x Candidate) bool { return x.Estimate.PutOff == 0 && !x.RoundsOfOne })
	for i := range p.Candidates {
		x := &p.Candidates[i]
		share := x.Estimate.PutOff
		x.unsure = x.Refills || share > rarely && best >= 0 && !(x.Heavy && x.Estimate.PerItem/share <= atWorst*p.Candidates[best].Estimate.PerItem)
	}
}

// doubt tells of a candidate that may be faster than the choice, if launches find it so.
func (p *Plan) doubt() string {
	x := p.Candidates[p.Chosen]
	if x.unsure {
		return ""
	}
	for _, y := range p.Candidates {
		if y.unsure && y.Tried && !y.TooLong && y.Estimate.PerItem < x.Estimate.PerItem {
			x = y
		}
	}
	switch {
	case !x.unsure:
		return ""
	case x.Refills:
		return fmt.Sprintf("Launches find out whether %s is faster: it is if lanes are busy as unevenly as is thought.", x.Name)
	}
	return fmt.Sprintf("Launches find out whether %s is faster: it puts off %.0f%% of the work-items, as far as is known, to make %.3g ns of each.",
		x.Name, 100*x.Estimate.PutOff, x.Estimate.PerItem)
}

// list makes a plan without a choice.
func list(families []Family) (*Plan, error) {
	p := &Plan{Chosen: -1}
	for _, f := range families {
		from := len(p.Candidates)
		p.Candidates = append(p.Candidates, f.Candidates...)
		p.families = append(p.families, span{from, len(p.Candidates)})
	}
	if len(p.Candidates) == 0 {
		return nil, fmt.Errorf("plan: no candidates")
	}
	return p, nil
}

// TryRest returns the plan with the prices of the candidates that were not looked at to
// choose. p itself stays as it is.
func (c *Costs) TryRest(p *Plan) (*Plan, error) {
	whole := *p
	whole.Candidates = slices.Clone(p.Candidates)
	for _, f := range whole.families {
		if f.from == f.to || whole.Candidates[f.from].Tried {
			continue
		}
		for i := f.from; i < f.to; i++ {
			whole.Candidates[i].Late = true
		}
		if err := c.try(&whole, f); err != nil {
			return nil, err
		}
	}
	whole.doubtful()
	whole.Doubt = whole.doubt()
	return &whole, nil
}

// try prices a family.
func (c *Costs) try(p *Plan, family span) error {
	candidates := p.Candidates[family.from:family.to]
	middle := c.middle(candidates)
	var vectors *vir.Func
	for i := range candidates {
		x := &candidates[i]
		f := vectors
		if x.Width == 1 || f == nil {
			build := x.Build
			if x.Width > 1 {
				build = candidates[middle].Build
			}
			var err error
			if f, err = build(); err != nil {
				return err
			}
			if x.Width > 1 {
				vectors = f
			}
		}
		c.tried(x, f)
	}
	return nil
}

// tried prices x by f, its code or that of its family for another width.
func (c *Costs) tried(x *Candidate, f *vir.Func) {
	items := x.Width
	if x.RoundsOfOne {
		items = 1
	}
	x.Tried, x.Size, x.Estimate = true, size(f), c.PriceAs(f, x.Width, x.Rounds).inRows(x.Row, items)
	if x.Refills {
		x.Estimate = x.Estimate.refilled()
	}
	x.TooLong = x.TooLong || c.MaxLength > 0 && x.Estimate.Length > c.MaxLength
}

// middle returns which of the candidates of a family is built for all widths
// above 1: that which fills two registers; -1 if there is none.
func (c *Costs) middle(candidates []Candidate) int {
	middle := -1
	for i, x := range candidates {
		if x.Width > 1 && (middle < 0 || x.Width <= 2*c.Lanes) {
			middle = i
		}
	}
	return middle
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

// String is Table where launches try all rivals.
func (p *Plan) String() string { return p.Table(p.Rivals()) }

// Table formats the candidates. Costs are ns for each work-item. A star marks the
// choice, a tilde the rivals, which launches try besides, a dash what was not looked
// at for it.
func (p *Plan) Table(rivals []Rival) string {
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
		if x.TooLong {
			parts = append(parts, "too long for the target")
		}
		switch {
		case x.Late:
			mark = "-"
		case slices.ContainsFunc(rivals, func(r Rival) bool { return r.Candidate == i }):
			mark = "~"
		}
		fmt.Fprintf(t, "%s %s\t%.3g\t%s\n", mark, x.Name, x.Estimate.PerItem, strings.Join(parts, ", "))
	}
	t.Flush()
	b.WriteString(p.Why() + "\n")
	return b.String()
}

// Why tells the reason for the choice, and the doubt about it, if there is one.
func (p *Plan) Why() string { return strings.TrimRight(p.Reason+" "+p.Doubt, " ") }

// asGood is how many times as fast as another the chosen candidate is at least where it is
// said to be faster: what a reader sees of less is 1.00.
const asGood = 1.005

// reason says in a sentence why the chosen candidate is the cheapest: what the
// runner-up spends more on.
func (p *Plan) reason() string {
	chosen := p.Candidates[p.Chosen]
	second := -1
	for i, x := range p.Candidates {
		if x.Tried && !x.TooLong && (!x.unsure || chosen.unsure) && i != p.Chosen && (second < 0 || x.Estimate.PerItem < p.Candidates[second].Estimate.PerItem) {
			second = i
		}
	}
	if second < 0 {
		return fmt.Sprintf("%s is the only candidate.", chosen.Name)
	}
	other := p.Candidates[second]
	switch {
	case other.Estimate.PerItem >= chosen.Estimate.PerItem:
	case other.Bare && !chosen.Bare:
		return fmt.Sprintf("%s: %s saves too little to look at no mask, should lanes agree more often than is thought.", chosen.Name, other.Name)
	default:
		return fmt.Sprintf("%s: %s saves too little to be worth its width.", chosen.Name, other.Name)
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
	times := other.Estimate.PerItem / chosen.Estimate.PerItem
	if gap <= 0 || times < asGood {
		return fmt.Sprintf("%s: as good as %s.", chosen.Name, than)
	}
	return fmt.Sprintf("%s: %.2f times as fast as %s, which spends more on %s (%.3g against %.3g ns for each work-item).",
		chosen.Name, times, than, most, other.Estimate.Parts[most], chosen.Estimate.Parts[most])
}
