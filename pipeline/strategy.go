package pipeline

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel/interp"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/launch/native"
	"github.com/simtc/simtc/opt/lanes/iterations"
	"github.com/simtc/simtc/structurize"
	"github.com/simtc/simtc/targets"
	"github.com/simtc/simtc/vir"
)

// A Strategy selects how a kernel is compiled. The compiler chooses each field that is left at its
// zero value or "auto"; Target defaults to the kernel's.
type Strategy struct {
	Target     string
	Linearizer string // Partial, BlockIP or "auto"
	Bypass     string // BypassZeros or another Bypass constant, or "auto"
	Divergence string // Mask, Defer, Refill or "auto", which is Mask if Bypass is set
	Width      int    // number of lanes
	Lanes      string // Items, Iterations or "auto", which is Items unless all other fields are zero too
	LaneDim    string // dimension of the range along which work-items are lanes: "0", "1", "2", Rows or "auto"
	LoopDepth  int    // with Iterations, the depth of the loops in nests, from 1; 0: open
	Scalar     string // branch form of one-lane code: Threaded, Switch, Selects or "auto", which starts with Threaded
	Engine     string // compiler of the WebAssembly engine: Plain, Optimized or "auto"
}

// The meaning of lanes.
const (
	// Items are adjacent work-items.
	Items = "items"
	// Iterations are those of loops within one work-item. The loop's iterations must be
	// independent. "rounds" means the same.
	Iterations = "iterations"
)

// String formats the fields that are set: "avx512 partial x16".
func (w Strategy) String() string {
	s := w.Target
	if w.Linearizer != "" {
		s += " " + w.Linearizer
	}
	if w.Bypass != "" {
		s += " bypass=" + w.Bypass
	}
	if w.Divergence != "" && w.Divergence != Mask {
		s += " divergence=" + w.Divergence
	}
	if w.Width != 0 {
		s += fmt.Sprintf(" x%d", w.Width)
	}
	if w.Lanes == Iterations {
		s += " iterations"
	}
	if w.LaneDim != "" && w.LaneDim != "auto" && w.LaneDim != "0" {
		s += " dim=" + w.LaneDim
	}
	if w.LoopDepth != 0 {
		s += fmt.Sprintf(" depth=%d", w.LoopDepth)
	}
	if w.Scalar != "" {
		s += " scalar=" + w.Scalar
	}
	if w.Engine != "" {
		s += " engine=" + w.Engine
	}
	return s
}

// Strategies lists the strategies for a target: every linearizer, width and kind of lanes, and the
// forms of one-lane code that differ; bypasses are left to the compiler. Those with lanes along
// another dimension than 0 have a sample of the widths, unless it is the kernel's. Those that span rows
// are listed for a kernel for a range (For). Widths whose values
// take many registers are listed only if they are the kernel's (Options.Width) or required. A
// target without lanes has one strategy.
func (k *Kernel) Strategies(target string) ([]Strategy, error) {
	t, err := targetByName(target)
	if err != nil {
		return nil, err
	}
	s := k.shared
	if _, err := s.prepared(); err != nil {
		return nil, err
	}
	if t.Scalar {
		return []Strategy{{Target: t.Name}}, nil
	}
	widths, err := s.widths(t, k.cfg.width)
	if err != nil {
		return nil, err
	}
	var out []Strategy
	dims := s.sampledDims(k.cfg)
	for _, l := range linearizers {
		for _, w := range widths {
			if l.fits(s.irreducible, w) {
				out = append(out, Strategy{Target: t.Name, Linearizer: l.name, Width: w, LaneDim: dims[0].String()})
			}
		}
		for _, d := range dims[1:] {
			for _, w := range k.cfg.sampledWidths(d, widths) {
				if l.fits(s.irreducible, w) {
					out = append(out, Strategy{Target: t.Name, Linearizer: l.name, Width: w, LaneDim: d.String()})
				}
			}
		}
		if c := (Choice{target: t, width: 1, linearizer: l}); len(out) > 0 && slices.Contains(widths, 1) && l.fits(s.irreducible, 1) {
			forms, err := s.scalarFormWays(c)
			if err != nil {
				return nil, err
			}
			out = append(out, forms...)
		}
		for _, w := range widths {
			c := Choice{target: t, width: w, linearizer: l}
			for _, depth := range s.loopDepths(c) {
				out = append(out, Strategy{Target: t.Name, Linearizer: l.name, Width: w, Lanes: Iterations, LoopDepth: depth})
			}
		}
	}
	return out, nil
}

// Choice is a Strategy with its names resolved. It is settled if no choice is open.
type Choice struct {
	target     *targets.Target
	linearizer *linearizer // nil: open, or the target has no lanes
	bypass     string      // "": open
	divergence string      // Mask, Defer, Refill; "": open
	width      int         // 0: open
	lanes      string      // Items, Iterations; "": open
	laneDim    laneDim     // of work-items as lanes; 0: open, or only 0 is possible
	group      [3]int      // size of work-groups whose rows can be joined, or are, as in kernel.Joined; 0: none
	loopDepth  int         // of the loops whose iterations are lanes, from 1; 0: open, or all depths choose the same loops
	scalar     string      // Threaded or another form of one-lane code; "": open
	engine     string      // Plain or Optimized, for code that runs in an engine; "": open

	// whole is the largest width of which the rows of work-groups are multiples, while the width is
	// open and a row is followed by others of the same work-group; 0: any width is possible.
	whole int
	// rows are the numbers of work-items in rows along each dimension, if known while choices are
	// open; 0: many.
	rows [3]int
	// columns, while choices are open: accesses of launches to columns share cache sets
	// (launch.Range.SharesSets).
	columns bool
	// values are those of arguments that bound loops, while choices are open.
	values argValues

	overlap      bool // buffers of different arguments may overlap
	unknownSizes bool // the sizes of buffers are unknown

	vnni bool // the code may require AVX512_VNNI

	counting bool // the code counts block executions: see Profile
	far      bool // ids may exceed kernel.NearItems: see launch.Range.Far
	checked  bool // launches test accesses; the code does not depend on it
}

// analysis returns the options of the divergence analysis.
func (c Choice) analysis() divergence.Options {
	return divergence.Options{Width: c.width, Iterations: c.lanes == Iterations, Far: c.far}
}

// iterationOptions returns the options of loop vectorization.
func (c Choice) iterationOptions() iterations.Options {
	return iterations.Options{Width: c.width, Extents: !c.unknownSizes, Overlap: c.overlap, Depth: c.loopDepth}
}

// loopDepths lists the depths of loops whose iterations may be lanes, if c leaves them open. It is
// empty if no loop is suitable.
func (s *state) loopDepths(c Choice) []int {
	switch {
	case !c.linearizer.fits(s.irreducible, c.width):
		return nil
	case c.loopDepth == 0:
		return iterations.Depths(s.raw, c.iterationOptions())
	case iterations.Fit(s.raw, c.iterationOptions()):
		return []int{c.loopDepth}
	}
	return nil
}

// Choose resolves the names of w. The default target is the best one of the host.
func (w Strategy) Choose() (Choice, error) {
	c := Choice{bypass: w.Bypass, divergence: w.Divergence, width: w.Width, loopDepth: w.LoopDepth, scalar: w.Scalar, engine: w.Engine}
	var err error
	if w.Target == "" || w.Target == "auto" {
		c.target = bestTarget()
	} else if c.target, err = targetByName(w.Target); err != nil {
		return c, err
	}
	if c.target.VNNI {
		c.vnni, _ = native.Available(native.VNNI)
	}
	if err := c.checkWidth(); err != nil {
		return c, err
	}
	if c.linearizer, err = linearizerByName(w.Linearizer); err != nil {
		return c, err
	}
	if c.laneDim, err = laneDimByName(w.LaneDim); err != nil {
		return c, err
	}
	if c.bypass == "auto" {
		c.bypass = ""
	}
	if c.divergence == "auto" {
		c.divergence = ""
	}
	if c.divergence == "" && c.bypass != "" {
		c.divergence = Mask
	}
	if c.scalar == "auto" {
		c.scalar = ""
	}
	if c.engine == "auto" {
		c.engine = ""
	}
	if err := errors.Join(c.checkScalar(), c.checkEngine()); err != nil {
		return c, err
	}
	switch w.Lanes {
	case "", "auto":
		if c.loopDepth != 0 {
			c.lanes = Iterations
		} else if c.width != 0 || c.linearizer != nil || c.bypass != "" || c.divergence != "" || c.laneDim.dimension() > 0 {
			c.lanes = Items
		}
	case Items, Iterations:
		c.lanes = w.Lanes
	case "rounds":
		c.lanes = Iterations
	default:
		return c, fmt.Errorf("invalid lanes %q: want auto, %s or %s", w.Lanes, Items, Iterations)
	}
	return c, errors.Join(c.checkLoopDepth(), c.checkLaneDim(), checkBypass(c.bypass), checkDivergence(c.divergence))
}

// checkLoopDepth returns an error for an invalid depth, or one without iterations.
func (c Choice) checkLoopDepth() error {
	switch {
	case c.loopDepth < 0:
		return fmt.Errorf("invalid loop depth %d: want 1 for outermost loops, or more", c.loopDepth)
	case c.loopDepth > 0 && c.lanes != Iterations:
		return fmt.Errorf("a loop depth needs iterations as lanes")
	}
	return nil
}

// checkWidth returns an error if the target does not support the width.
func (c Choice) checkWidth() error {
	switch {
	case c.width == 0, c.target.Supports(c.width):
		return nil
	case !c.target.Scalar:
		return fmt.Errorf("target %s does not support width %d: want one of %s", c.target.Name, c.width, strings.Trim(fmt.Sprint(c.target.AllWidths()), "[]"))
	case !isSubGroup(c.width):
		return fmt.Errorf("target %s does not support width %d: %s", c.target.Name, c.width, subGroups)
	}
	return nil
}

// settle returns c with all choices made. Results are cached, as every launch needs them.
func (s *state) settle(c Choice) (Choice, error) {
	c.checked = false
	s.mu.Lock()
	settled, known := s.settled[c]
	s.mu.Unlock()
	if known {
		return settled, nil
	}
	settled, err := s.decide(c)
	if err == nil {
		s.mu.Lock()
		s.settled[c] = settled
		s.mu.Unlock()
	}
	return settled, err
}

// decide is settle without the cache.
func (s *state) decide(c Choice) (Choice, error) {
	c, families, err := s.allowed(c)
	if err != nil || c.target.Scalar {
		return c, err
	}
	if len(families) == 1 && len(families[0]) == 1 {
		return families[0][0], nil
	}
	p, err := s.planFor(c)
	if err != nil {
		return c, err
	}
	chosen := p.configs[p.Chosen]
	chosen.counting = c.counting
	return chosen, nil
}

// allowed returns an error if the kernel cannot be compiled with c, else the candidates for
// the open choices of c. For a target without lanes it returns c settled.
func (s *state) allowed(c Choice) (Choice, [][]Choice, error) {
	if _, err := s.prepared(); err != nil {
		return c, nil, err
	}
	if c.target.Scalar {
		c = Choice{target: c.target, counting: c.counting, width: c.width}
		switch {
		case !s.subGroups:
			c.width = 0
		case s.raw.ReqdSubGroupSize > 0:
			c.width = s.raw.ReqdSubGroupSize
		case c.width == 0:
			c.width = interp.DefaultSubGroup
		}
		return c, nil, CheckSubGroup(s.name, c.width)
	}
	if err := c.checkWidth(); err != nil {
		return c, nil, err
	}
	if widths, err := s.widths(c.target, c.width); err != nil {
		return c, nil, err
	} else if c.width != 0 && !slices.Contains(widths, c.width) {
		return c, nil, fmt.Errorf("kernel %s requires sub-groups of %d work-items, which excludes width %d", s.name, s.raw.ReqdSubGroupSize, c.width)
	}
	families, err := s.choices(c)
	return c, families, err
}

// planFor returns the plan that makes the open choices of c.
func (s *state) planFor(c Choice) (*planned, error) { return s.plan(s.planKey(c)) }

// planKey clears the fields of c that its plan does not depend on.
func (s *state) planKey(c Choice) Choice {
	if n := s.raw.ReqdWorkGroupSize; n[0] > 0 && s.byGroup {
		c.rows = s.rowsOf([3]uint64{uint64(n[0]), uint64(n[1]), uint64(n[2])})
	}
	c.checked = false
	c.counting = false // the profile must be of the strategy that runs without counting
	return c
}

// widths lists the widths of a target for the kernel, plus the requested one (0: none). A
// kernel that uses sub-groups and requires a size for them has only that one.
func (s *state) widths(t *targets.Target, requested int) ([]int, error) {
	n := s.raw.ReqdSubGroupSize
	if n == 0 || !s.subGroups {
		if slices.Contains(t.MoreWidths, requested) {
			return append(slices.Clone(t.Widths), requested), nil
		}
		return t.Widths, nil
	}
	if err := CheckSubGroup(s.name, n); err != nil {
		return nil, err
	}
	if !t.Supports(n) {
		return nil, fmt.Errorf("kernel %s requires sub-groups of %d work-items; target %s supports %s",
			s.name, n, t.Name, strings.Trim(fmt.Sprint(t.AllWidths()), "[]"))
	}
	return []int{n}, nil
}

// CheckSubGroup returns an error for an invalid size of sub-groups.
func CheckSubGroup(kernel string, n int) error {
	if n != 0 && !isSubGroup(n) {
		return fmt.Errorf("kernel %s: %s, not %d", kernel, subGroups, n)
	}
	return nil
}

// isSubGroup reports whether a sub-group can have n work-items.
func isSubGroup(n int) bool { return n > 0 && n <= vir.MaxLanes && n&(n-1) == 0 }

// subGroups describes the valid sizes of sub-groups.
var subGroups = fmt.Sprintf("sub-groups have a power of two of work-items, at most %d", vir.MaxLanes)

// manyItems is the length from which the length of a row does not affect the plan.
const manyItems = 256

// For returns the kernel compiled for ranges like r, which is resolved. A width chosen
// by the compiler fits the rows of the range, or of its work-groups if the kernel depends on
// them. Code for 32-bit ids does not support larger ones, and code for a required work-group
// size does not support smaller groups at the end of a range.
func (k *Kernel) For(r launch.Range) (*Kernel, error) {
	k, err := k.forGroups(r)
	if err != nil {
		return nil, err
	}
	if k.cfg.target.Scalar {
		return k, nil
	}
	if k.cfg.far != r.Far() {
		c := k.cfg
		c.far = r.Far()
		k = &Kernel{k.shared, c}
	}
	if _, err := k.shared.prepared(); err != nil {
		return nil, err
	}
	if k.cfg.width != 0 && !k.shared.subGroups && (k.cfg.laneDim != 0 && k.cfg.laneDim != joinedRows || k.shared.laneDims == [3]bool{true}) {
		return k, nil
	}
	c := k.cfg
	c.group = k.shared.joinable(c, r)
	c.whole = 0
	if c.width == 0 && c.group[0] == 0 {
		c.whole = k.shared.wholeRows(r)
	}
	if c.rows = k.shared.rowsOf(r.Global); k.shared.byGroup {
		c.rows = k.shared.rowsOf(r.Local)
	}
	c.columns = k.shared.sharesSets(r)
	return &Kernel{k.shared, c}, nil
}

// wholeRows returns the largest size of sub-groups that fits the rows of r's work-groups; 0 is
// any. Only the last sub-group of a work-group may be smaller than the others (OpenCL 3.0,
// CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE), so where a work-group has several rows that are not
// joined, they consist of whole sub-groups. requires: the kernel is prepared
func (s *state) wholeRows(r launch.Range) int {
	if !s.subGroups || r.Local[1]*r.Local[2] <= 1 {
		return 0
	}
	row := r.Local[0] | r.Global[0]%r.Local[0]
	if n := row & -row; n < vir.MaxLanes {
		return int(n)
	}
	return 0
}

// forGroups returns the kernel for the work-groups of r.
func (k *Kernel) forGroups(r launch.Range) (*Kernel, error) {
	s := k.shared
	if s.base != nil {
		s = s.base
	}
	switch uniform := r.Uniform(s.raw.ReqdWorkGroupSize); {
	case !uniform && s.wholeGroups:
		return nil, fmt.Errorf("kernel %s: prepared IR supports only ranges that are multiples of its required work-group size", s.name)
	case uniform && s.uniform != nil:
		s = s.uniform
	case !uniform && s.nonUniform != nil:
		s = s.nonUniform
	case s == k.shared:
		return k, nil
	}
	return &Kernel{s, k.cfg}, nil
}

// choices returns the families of c, of which there must be one.
func (s *state) choices(c Choice) ([][]Choice, error) {
	families := s.families(c)
	if len(families) == 0 {
		return nil, s.prog.Located(diag.Errorf(s.raw.Pos, "kernel %s: cannot run loop iterations as lanes: %s", s.name, s.whyNoIterations(c)))
	}
	return families, nil
}

// mustVectorize reports whether the source requires iterations as lanes and c leaves the lanes open.
func (s *state) mustVectorize(c Choice) bool {
	return c.lanes == "" && c.width != 1 && c.target.Costs != nil && s.raw.Requires()
}

// families lists the settled configs for the open choices of c, by linearizer and bypass, in
// ascending order of width. The width is searched in the first family. One lane cannot
// diverge: at width 1 there is one family. Without divergence, the linearizers do the same,
// and there is nothing to bypass.
func (s *state) families(c Choice) [][]Choice {
	if c.lanes == Iterations || s.mustVectorize(c) {
		return s.iterationFamilies(c)
	}
	var out [][]Choice
	for i, d := range s.dims(c) {
		x := c
		x.laneDim = d
		if d != joinedRows {
			x.group = [3]int{}
		}
		families := s.itemFamilies(x)
		if i == 0 {
			out = families
			continue
		}
		if len(families) == 0 {
			continue
		}
		// The order of the estimates is that of scalar code, too.
		other := slices.DeleteFunc(families[0], func(x Choice) bool { return x.width == 1 })
		if len(other) > 0 {
			out = append(out, other)
		}
	}
	if c.lanes == "" {
		out = append(out, s.iterationFamilies(c)...)
	}
	return out
}

// itemFamilies is families for work-items as lanes along the dimension of c.
func (s *state) itemFamilies(c Choice) [][]Choice {
	facts := s.lanesOf(c).forms()
	widths := []int{c.width}
	if c.width == 0 {
		widths = c.target.Costs.Widths
		if c.whole > 0 {
			widths = slices.DeleteFunc(slices.Clone(widths), func(w int) bool { return w > c.whole })
		}
		if n := s.raw.ReqdSubGroupSize; n > 0 && s.subGroups {
			widths = []int{n}
		} else if c.laneDim == joinedRows && s.subGroups {
			items := c.items()
			widths = slices.DeleteFunc(slices.Clone(widths), func(w int) bool { return w >= 2*items })
		} else if c.laneDim == joinedRows {
			widths = c.joinedWidths(widths)
		} else if c.columns && s.columns(c.laneDim.dimension()) > 0 {
			widths = slices.DeleteFunc(slices.Clone(widths), func(w int) bool { return w > launch.MaxColumns })
		}
	}
	one := linearizers[0] // supports any control flow at width 1
	if c.linearizer != nil {
		one = c.linearizer
	}
	var out [][]Choice
	for _, l := range s.linearizers(c) {
		forced := c.bypass != "" || c.divergence != ""
		if forced && len(out) > 0 && !l.tries(c) {
			continue
		}
		for _, b := range l.formsFor(c) {
			switch {
			case !forced && (b.divergence == Defer && !facts.deferrable || b.divergence == Refill && !facts.refillable):
				continue
			case !facts.divergent && c.linearizer == nil && len(out) > 0 && (l != linearizers[0] || !forced && bypasses[b.bypass].ones == structurize.OnesNone):
				continue
			}
			var family []Choice
			for _, w := range widths {
				x := c
				x.linearizer, x.bypass, x.divergence, x.width, x.lanes, x.loopDepth = l, b.bypass, b.divergence, w, Items, 0
				x.rows, x.columns, x.values, x.whole = [3]int{}, false, "", 0
				switch {
				case w == 1 && len(out) > 0:
					continue
				case w == 1:
					x.linearizer = one
				default:
					x.scalar = ""
				}
				family = append(family, x)
			}
			if len(family) > 0 {
				out = append(out, family)
			}
		}
	}
	return out
}

// linearizers lists the linearizers that c leaves open. If the linearizer of c does not
// support the kernel, it lists all that do.
func (s *state) linearizers(c Choice) []*linearizer {
	fits := func(l *linearizer) bool { return l.fits(s.irreducible, c.width) }
	if c.linearizer != nil && fits(c.linearizer) {
		return []*linearizer{c.linearizer}
	}
	var out []*linearizer
	for _, l := range linearizers {
		if fits(l) {
			out = append(out, l)
		}
	}
	return out
}

// whyNoIterations explains why loop iterations cannot run as lanes.
func (s *state) whyNoIterations(c Choice) string {
	c.unknownSizes = false
	switch {
	case c.width == 1:
		return "the width is 1"
	case s.base != nil && len(s.base.iterationFamilies(c)) > 0:
		return "accesses in its loops are tested, as their bounds depend on data"
	case len(s.iterationFamilies(c)) > 0:
		return "emitted code does not know the sizes of buffers, and speculative iterations may read past their end"
	}
	loops := iterations.Describe(s.raw, iterations.Options{Width: max(c.width, 2), Extents: true, Overlap: c.overlap})
	if len(loops) == 0 {
		return "it has no loop"
	}
	var whys []string
	for _, d := range loops {
		if d.Refusal != "" && (d.Required || !s.raw.Requires()) {
			whys = append(whys, fmt.Sprintf("the loop in line %d: %s", d.Header.Pos.Line, d.Refusal))
		}
	}
	if len(whys) == 0 {
		return "its only loops with independent iterations are innermost ones of other loops"
	}
	return strings.Join(whys, "; ")
}

// iterationFamilies is families for iterations as lanes: one family for each depth of loops, with the
// width of c or all widths.
func (s *state) iterationFamilies(c Choice) [][]Choice {
	x := c
	x.linearizer, x.lanes, x.rows, x.columns, x.values, x.group, x.scalar, x.laneDim = s.linearizers(c)[0], Iterations, [3]int{}, false, "", [3]int{}, "", s.dims(Choice{laneDim: 1})[0]
	if x.bypass = x.linearizer.bypass(x.bypass); x.bypass == "" {
		x.bypass = x.linearizer.forms[0].bypass
	}
	x.divergence = Mask
	widths := []int{c.width}
	if c.width == 0 {
		widths = c.target.Costs.Widths
	}
	var depths []int
	byDepth := map[int][]Choice{}
	for _, x.width = range widths {
		if !c.target.Supports(x.width) || x.width == 1 {
			continue
		}
		for _, depth := range s.loopDepths(x) {
			if byDepth[depth] == nil {
				depths = append(depths, depth)
			}
			y := x
			y.loopDepth = depth
			byDepth[depth] = append(byDepth[depth], y)
		}
	}
	var out [][]Choice
	for _, depth := range depths {
		out = append(out, byDepth[depth])
	}
	return out
}

// way returns the Strategy of a settled Choice.
func (c Choice) strategy() Strategy {
	if c.linearizer == nil {
		return Strategy{Target: c.target.Name, Width: c.width}
	}
	w := Strategy{Target: c.target.Name, Linearizer: c.linearizer.name, Bypass: c.bypass, Divergence: c.divergence, Width: c.width, Scalar: c.scalar, Engine: c.engine, LaneDim: c.laneDim.String()}
	if c.lanes == Iterations {
		w.Lanes, w.LoopDepth = Iterations, c.loopDepth
	}
	return w
}

// label formats a settled Choice without its target.
func (c Choice) label() string {
	label := c.linearizer.name
	if c.divergence != Mask {
		label += " " + c.divergence
	} else if c.bypass != c.linearizer.forms[0].bypass {
		label += " bypass=" + c.bypass
	}
	label = fmt.Sprintf("%s x%d", label, c.width)
	label += c.lanesLabel()
	for _, form := range []string{c.scalar, c.engine} {
		if form != "" {
			label += " " + form
		}
	}
	return label
}

// lanesLabel formats the lanes of a settled Choice, after a space, if they are no work-items along dimension 0.
func (c Choice) lanesLabel() string {
	switch {
	case c.lanes != Iterations && c.laneDim > 1:
		return " dim=" + c.laneDim.String()
	case c.lanes != Iterations:
		return ""
	case c.loopDepth == 0:
		return " iterations"
	}
	return fmt.Sprintf(" iterations depth=%d", c.loopDepth)
}

// Target returns the name of the target.
func (c Choice) Target() string { return c.target.Name }
