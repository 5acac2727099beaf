package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/simtc/simtc/vir"
)

// MaxTrips is the limit up to which iteration counts are distinguished.
const MaxTrips = 249

// LongTrips is the value of Candidate.Trips for unknown numbers in launches of few work-items, which
// would not be worth a launch if their loops were short.
const LongTrips = MaxTrips + 1

// A Candidate compiles a kernel by one strategy.
type Candidate struct {
	Name  string // its name in reports
	Width int
	// Linearizer identifies the linearizer; any numbering serves.
	Linearizer int
	// Iterations means that lanes are iterations of loops of one work-item.
	Iterations bool
	// Refills means that idle lanes take other work-items. Build returns the code without
	// refill.
	Refills bool
	// Bare means that there are no bypass branches.
	Bare bool
	// Masked means that there are bypass branches, but no unmasked copies.
	Masked bool
	// LaneDim identifies the dimension of the range along which lanes lie; any numbering serves.
	LaneDim int
	// Row is the number of work-items in a row along LaneDim, or 0 if there are many.
	Row int
	// Trips is the known number of iterations of the kernel's outermost loops, the maximum
	// of several, before any transform, or LongTrips; 0: unknown.
	Trips int
	// Args are values of integer arguments, by offset in the argument block; others are
	// unknown.
	Args map[int]uint64
	// Heavy means that the cost of the deferred region is a lower bound, except for the
	// trip counts of its loops: no argument makes it negligible.
	Heavy bool
	// Build compiles the candidate. It does not modify its source.
	Build func() (*vir.Func, error)

	Tried    bool
	Late     bool // priced after the choice was made
	TooLong  bool // the target may reject it: chosen only if there is nothing else
	Size     int  // operations
	Estimate Estimate

	unsure bool // left to tuning at launch
}

// Unsure reports whether the cost of x depends on the data, so that the choice is left to
// tuning at launch.
func (x *Candidate) Unsure() bool { return x.unsure }

// A Family is one linearization strategy at several widths, ascending.
type Family struct {
	Candidates []Candidate
	// Skip reports whether the family cannot differ from those before it, once they are
	// built; nil: it can.
	Skip func() bool
}

// A Plan is a choice among candidates.
type Plan struct {
	Candidates []Candidate // of all families
	Chosen     int         // index of the cheapest
	Reason     string
	Doubt      string // the question left to tuning at launch, or ""

	families      []span
	rejectedWidth int // minimum width whose code the target rejected; 0: none
}

// span is the index range of a family's candidates.
type span struct{ from, to int }

// bigKernel is the operation count of the smallest vector code above which only the first
// family is built.
const bigKernel = 5000

// margin is the saving required of each doubling of the width beyond one register, because
// the code is longer and range ends leave more lanes idle; and of each halving below it,
// because processors with half-width vector units pay the full price for it. Deferral fills
// the lanes at any width, and its regions mostly wait for memory, so the same is required of each
// halving of the largest width.
const margin = 0.013

// rareShare is the share of deferred work-items up to which the cost is small whatever the
// deferred region costs.
const rareShare = 1.0 / 16

// iterationsMargin is the estimated speedup required of iterations as lanes: trip counts are rarely
// known, and few lanes are busy if they are small.
const iterationsMargin = 1.3

// bareMargin is the estimated speedup required of vector code without bypass branches.
// Agreement between lanes is hard to estimate, and masks keep accesses from being joined. The
// code saves little if lanes never agree, but may be many times slower if they mostly do.
const bareMargin = 1.35

// maskedMargin is the estimated speedup required of vector code with bypass branches over such
// code with unmasked copies, too: at equal estimates copies were up to three times as fast, since
// later passes join accesses in them, and hardly ever slower.
const maskedMargin = 1.1

// linearizerMargin is the estimated speedup required of another linearizer than the first.
const linearizerMargin = 1.05

// Choose estimates the candidates and picks the cheapest per work-item. It builds each
// family at one width, which fills two registers, and estimates the other widths from that
// code; width 1, scalar code, is built separately. For big kernels it builds only the first
// family.
func (c *Costs) Choose(families ...Family) (*Plan, error) {
	p, err := list(families)
	if err != nil {
		return nil, err
	}
	minSize := 0 // operations of the smallest vector code
	for n, f := range families {
		if n > 0 && (minSize > bigKernel || f.Skip != nil && f.Skip()) {
			continue
		}
		if err := c.try(p, p.families[n]); err != nil {
			return nil, err
		}
		for i := p.families[n].from; i < p.families[n].to; i++ {
			if x := p.Candidates[i]; x.Width > 1 && (minSize == 0 || x.Size < minSize) {
				minSize = x.Size
			}
		}
	}
	c.pick(p)
	return p, nil
}

// pick chooses among the priced candidates that are narrower than what the target rejected.
// It reports whether there is one.
func (c *Costs) pick(p *Plan) bool {
	p.Chosen = -1
	p.markUnsure()
	scalar, scalarNS := -1, math.Inf(1)
	best, vectorNS := math.Inf(1), math.Inf(1) // with penalty for missing bypasses, and without
	for i, x := range p.Candidates {
		if !x.Tried || x.Late || p.rejectedWidth > 0 && x.Width >= p.rejectedWidth {
			continue
		}
		ns := x.Estimate.PerItem
		if x.Iterations {
			ns *= iterationsMargin
		}
		switch {
		case x.Width == 1:
		case x.Estimate.Deferred == 0:
			ns *= 1 + margin*math.Abs(math.Log2(float64(x.Width)/float64(c.Lanes)))
		default:
			ns *= 1 + margin*math.Log2(float64(c.Widths[len(c.Widths)-1])/float64(x.Width))
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
		if x.Linearizer != p.Candidates[0].Linearizer {
			ns = min(ns*linearizerMargin, math.MaxFloat64)
		}
		switch {
		case x.Bare:
			ns = min(ns*bareMargin, math.MaxFloat64)
		case x.Masked:
			ns = min(ns*maskedMargin, math.MaxFloat64)
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

// Narrower returns a plan with fewer lanes, for a target that rejected the chosen code for
// its length, or nil if there is none. It does not modify p.
func (c *Costs) Narrower(p *Plan) (*Plan, error) {
	n := *p
	n.Candidates = slices.Clone(p.Candidates)
	n.rejectedWidth = p.Candidates[p.Chosen].Width
	for i := range n.Candidates {
		x := &n.Candidates[i]
		x.TooLong = x.TooLong || x.Width >= n.rejectedWidth
	}
	if c.pick(&n) {
		return &n, nil
	}
	// After ChooseBriefly, other widths were not priced.
	if n.Candidates[n.families[0].from].Width >= n.rejectedWidth {
		return nil, nil
	}
	if err := c.try(&n, n.families[0]); err != nil {
		return nil, err
	}
	c.pick(&n)
	return &n, nil
}

// markUnsure marks the candidates left to tuning at launch: those with an uncertain and
// significant share of deferred work-items, and those with refill, whose benefit depends on
// lane imbalance. It has an effect only with several families.
func (p *Plan) markUnsure() {
	best := p.cheapest(math.Inf(1), func(_ int, x Candidate) bool { return x.Estimate.Deferred == 0 && !x.Iterations })
	for i := range p.Candidates {
		x := &p.Candidates[i]
		x.unsure = x.Refills || x.Estimate.Deferred > rareShare && best >= 0 && !(x.Heavy && p.gainsByDeferral(x, best))
	}
}

// gainsByDeferral reports whether x is faster than candidate best, the cheapest without
// deferral, by a factor at least as large as that by which it is slower if all work-items are
// deferred, whether the deferred region is as heavy as estimated or its loops, of unknown trip
// counts, end after an iteration.
func (p *Plan) gainsByDeferral(x *Candidate, best int) bool {
	share, all := x.Estimate.Deferred, x.Estimate.AllDeferred
	none := (x.Estimate.PerItem - share*all) / (1 - share) // if no work-item is deferred
	masked := 0.0                                          // vector code that runs the region whatever its share is, as code without bypasses does
	for _, bare := range []bool{false, true} {
		if i := p.cheapest(math.Inf(1), func(_ int, y Candidate) bool {
			return y.Width > 1 && !y.Iterations && y.Estimate.Deferred == 0 && y.Bare == bare
		}); i >= 0 {
			masked = max(masked, p.Candidates[i].Estimate.PerItem)
		}
	}
	b := p.Candidates[best]
	region, other := masked-none, masked-none // the region's cost in x, and in b if all work-items need it
	if b.Width == 1 {
		other = (b.Estimate.PerItem - none) / share
	}
	if none <= 0 || region <= 0 || other <= 0 {
		return false
	}
	light := 1 / defaultTrips
	if x.Estimate.counted {
		light = 1
	}
	gain := b.Estimate.PerItem / x.Estimate.PerItem
	return gain >= all/(none+other) && gain >= (all-region*(1-light))/(none+other*light)
}

// doubt describes a candidate that may turn out faster than the choice.
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
		return fmt.Sprintf("Tuning at launch decides whether %s is faster: it is if the lane imbalance is as large as estimated.", x.Name)
	}
	return fmt.Sprintf("Tuning at launch decides whether %s is faster: it defers an estimated %.0f%% of the work-items, for %.3g ns per work-item.",
		x.Name, 100*x.Estimate.Deferred, x.Estimate.PerItem)
}

// list returns a plan without a choice.
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

// TryRest returns the plan with estimates of the candidates that Choose skipped. It does
// not modify p.
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
	whole.markUnsure()
	whole.Doubt = whole.doubt()
	return &whole, nil
}

// try estimates the candidates of a family.
func (c *Costs) try(p *Plan, family span) error {
	candidates := p.Candidates[family.from:family.to]
	middle := c.middle(candidates)
	var vectorCode *vir.Func
	for i := range candidates {
		x := &candidates[i]
		f := vectorCode
		if x.Width == 1 || f == nil {
			build := x.Build
			if x.Width > 1 {
				build = candidates[middle].Build
			}
			var err error
			if f, err = build(); err != nil {
				return err
			}
			f = withArguments(f, x.Args)
			if x.Width > 1 {
				vectorCode = f
			}
		}
		c.estimate(x, f)
	}
	return nil
}

// estimate prices x by f, its own code or that of its family at another width.
func (c *Costs) estimate(x *Candidate, f *vir.Func) {
	items := x.Width
	if x.Iterations {
		items = 1
	}
	x.Tried, x.Size, x.Estimate = true, size(f), c.priceAs(f, x.Width, x.Trips, x.Row).inRows(x.Row, items)
	if x.Refills {
		x.Estimate = x.Estimate.refilled()
	}
	x.TooLong = x.TooLong || c.MaxLength > 0 && x.Estimate.Length > c.MaxLength
}

// middle returns the candidate of a family that is built for all widths above 1, the one
// that fills two registers, or -1.
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

// part is a component of an estimate.
type part struct {
	kind Kind
	ns   float64
}

// largest returns the components of at least a tenth, the largest first.
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

// String returns Table with all tuning candidates.
func (p *Plan) String() string { return p.Table(p.Rivals()) }

// Table formats the candidates with their costs in ns per work-item. A star marks the
// choice, a tilde the tuning candidates, a dash those that the choice ignored.
func (p *Plan) Table(tuned []Rival) string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  candidate\tns/item\tmainly")
	for i, x := range p.Candidates {
		mark := " "
		if i == p.Chosen {
			mark = "*"
		}
		if !x.Tried {
			fmt.Fprintf(t, "%s %s\t-\tnot estimated\n", mark, x.Name)
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
		case slices.ContainsFunc(tuned, func(r Rival) bool { return r.Candidate == i }):
			mark = "~"
		}
		fmt.Fprintf(t, "%s %s\t%.3g\t%s\n", mark, x.Name, x.Estimate.PerItem, strings.Join(parts, ", "))
	}
	t.Flush()
	b.WriteString(p.Why() + "\n")
	return b.String()
}

// Why explains the choice, and the doubt about it, if any.
func (p *Plan) Why() string { return strings.TrimRight(p.Reason+" "+p.Doubt, " ") }

// minSpeedup is the smallest speedup that is printed as one: a smaller one rounds to 1.00.
const minSpeedup = 1.005

// reason explains in a sentence why the chosen candidate is the cheapest, by the largest
// extra cost of the runner-up.
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
		return fmt.Sprintf("%s: %s saves too little for code without bypasses, in case lanes agree more often than estimated.", chosen.Name, other.Name)
	case other.Masked && !chosen.Masked:
		return fmt.Sprintf("%s: %s saves too little to do without unmasked copies.", chosen.Name, other.Name)
	case other.Linearizer != chosen.Linearizer && other.Width > 1:
		return fmt.Sprintf("%s: %s saves too little to be worth another linearizer.", chosen.Name, other.Name)
	default:
		return fmt.Sprintf("%s: %s saves too little to be worth its width.", chosen.Name, other.Name)
	}
	kind, gap := Arithmetic, math.Inf(-1)
	for k, ns := range other.Estimate.Parts {
		if d := ns - chosen.Estimate.Parts[k]; d > gap {
			kind, gap = Kind(k), d
		}
	}
	than := other.Name
	if other.Width == 1 {
		than = "scalar code"
	}
	times := other.Estimate.PerItem / chosen.Estimate.PerItem
	if gap <= 0 || times < minSpeedup {
		return fmt.Sprintf("%s: as good as %s.", chosen.Name, than)
	}
	return fmt.Sprintf("%s: %.2f times as fast as %s, which spends more on %s (%.3g against %.3g ns for each work-item).",
		chosen.Name, times, than, kind, other.Estimate.Parts[kind], chosen.Estimate.Parts[kind])
}
