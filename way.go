package simtc

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel/interp"
	"github.com/simtc/simtc/opt/rounds"
	"github.com/simtc/simtc/structurize"
	"github.com/simtc/simtc/vir"
)

// Way is a way to compile a kernel. What is left "" or 0 is the compiler's
// choice, but the target.
type Way struct {
	Target     string // "" is that of the kernel
	Linearizer string // Partial, BlockIP, or "auto" (also "")
	Bypass     string // BypassZeros or another; "auto" (also "")
	Width      int    // lanes
	Lanes      string // what the lanes are: Items, Rounds; "auto" (also "") is Items unless all else is left to the compiler, too
	Scalar     string // how code of one lane goes on: Threaded, Switch, Selects; "auto" (also "") begins with the first
	Engine     string // what an engine of WebAssembly does with the code: Plain, Optimized; "auto" (also "") is the compiler's choice
}

// What lanes are.
const (
	// Items are work-items next to each other.
	Items = "items"
	// Rounds are rounds of loops of one work-item, where the kernel has loops whose
	// rounds do not depend on each other.
	Rounds = "rounds"
)

// String names the way: "avx512 partial x16".
func (w Way) String() string {
	s := w.Target
	if w.Linearizer != "" {
		s += " " + w.Linearizer
	}
	if w.Bypass != "" {
		s += " bypass=" + w.Bypass
	}
	if w.Width != 0 {
		s += fmt.Sprintf(" x%d", w.Width)
	}
	if w.Lanes == Rounds {
		s += " rounds"
	}
	if w.Scalar != "" {
		s += " scalar=" + w.Scalar
	}
	if w.Engine != "" {
		s += " engine=" + w.Engine
	}
	return s
}

// Ways lists the ways to compile the kernel for a target, by linearizer, width and
// what the lanes are, and where code of one lane would be other code in another form, by
// that; bypasses are left to the compiler. Widths of which a value takes many registers are
// listed if they are the kernel's own (Options.Width) or required. A target without lanes has one.
func (k *Kernel) Ways(target string) ([]Way, error) {
	t, err := targetByName(target)
	if err != nil {
		return nil, err
	}
	s := k.shared
	if _, err := s.prepared(); err != nil {
		return nil, err
	}
	if t.scalar {
		return []Way{{Target: t.name}}, nil
	}
	widths, err := s.widths(t, k.cfg.width)
	if err != nil {
		return nil, err
	}
	var out []Way
	for _, l := range linearizers {
		for _, w := range widths {
			if l.fits(s.irreducible, w) {
				out = append(out, Way{Target: t.name, Linearizer: l.name, Width: w})
			}
		}
		if c := (config{target: t, width: 1, linearizer: l}); len(out) > 0 && slices.Contains(widths, 1) && l.fits(s.irreducible, 1) {
			forms, err := s.formWays(c)
			if err != nil {
				return nil, err
			}
			out = append(out, forms...)
		}
		for _, w := range widths {
			if c := (config{target: t, width: w, linearizer: l}); s.roundsFit(c) {
				out = append(out, Way{Target: t.name, Linearizer: l.name, Width: w, Lanes: Rounds})
			}
		}
	}
	return out, nil
}

// config is a Way with its names looked up. It is settled when nothing is left
// to choose.
type config struct {
	target     *target
	linearizer *linearizer // nil: the compiler's choice, or the target has no lanes
	bypass     string      // "": the same
	width      int         // 0: the same
	lanes      string      // Items, Rounds; "": the same
	scalar     string      // Threaded or another, of code of one lane; "": the same
	engine     string      // Plain or Optimized, of code that an engine runs; "": the same

	// row is how many work-items a row has, as far as that is known while there is
	// a choice to make; 0: many.
	row int

	// open says that the target is the compiler's choice, so that launches may try what is
	// not the best one's.
	open bool

	overlap bool // buffers of several arguments may share memory
	unsized bool // nobody tells how large buffers are

	counting bool // the code counts how often its blocks run: see Profile
	far      bool // for ranges with far ids: see launch.Range.Far
	checked  bool // launches test accesses; no code depends on it
}

// divergence is what the analyses are told.
func (c config) divergence() divergence.Options {
	return divergence.Options{Width: c.width, Rounds: c.lanes == Rounds, Far: c.far}
}

// roundsOptions is what makes lanes rounds.
func (c config) roundsOptions() rounds.Options {
	return rounds.Options{Width: c.width, Extents: !c.unsized}
}

// roundsFit reports whether lanes can be rounds of the kernel's loops.
func (s *kernelState) roundsFit(c config) bool {
	return c.linearizer.fits(s.irreducible, c.width) && rounds.Fit(s.raw, c.roundsOptions()) > 0
}

// config looks w up. The target "" is the best one here.
func (w Way) config() (config, error) {
	c := config{bypass: w.Bypass, width: w.Width, scalar: w.Scalar, engine: w.Engine}
	c.open = w.Target == ""
	if c.open {
		w.Target = bestTarget()
	}
	var err error
	if c.target, err = targetByName(w.Target); err != nil {
		return c, err
	}
	if err := c.checkWidth(); err != nil {
		return c, err
	}
	if c.linearizer, err = linearizerByName(w.Linearizer); err != nil {
		return c, err
	}
	if c.bypass == "auto" {
		c.bypass = ""
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
		if c.width != 0 || c.linearizer != nil || c.bypass != "" {
			c.lanes = Items
		}
	case Items, Rounds:
		c.lanes = w.Lanes
	default:
		return c, fmt.Errorf("lanes cannot be %q; there are auto, %s, %s", w.Lanes, Items, Rounds)
	}
	return c, checkBypass(c.bypass)
}

// checkWidth reports a width that the target does not have.
func (c config) checkWidth() error {
	switch {
	case c.width == 0, c.target.takes(c.width):
		return nil
	case !c.target.scalar:
		return fmt.Errorf("target %s has no width %d; it has %s", c.target.name, c.width, strings.Trim(fmt.Sprint(c.target.allWidths()), "[]"))
	case !isSubGroup(c.width):
		return fmt.Errorf("target %s has no width %d: %s", c.target.name, c.width, subGroups)
	}
	return nil
}

// settle fills in what a kernel's config leaves open. It is found out once: launches ask
// each time.
func (s *kernelState) settle(c config) (config, error) {
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

// decide is settle, found out.
func (s *kernelState) decide(c config) (config, error) {
	c, families, err := s.allowed(c)
	if err != nil || c.target.scalar {
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

// allowed reports why the kernel cannot be compiled with c, and returns the candidates that
// c leaves to choose from; of a target without lanes what c settles to.
func (s *kernelState) allowed(c config) (config, [][]config, error) {
	if _, err := s.prepared(); err != nil {
		return c, nil, err
	}
	if c.target.scalar {
		c = config{target: c.target, counting: c.counting, width: c.width}
		switch {
		case !s.subGroups:
			c.width = 0
		case s.raw.ReqdSubGroupSize > 0:
			c.width = s.raw.ReqdSubGroupSize
		case c.width == 0:
			c.width = interp.DefaultSubGroup
		}
		return c, nil, checkSubGroup(s.name, c.width)
	}
	if err := c.checkWidth(); err != nil {
		return c, nil, err
	}
	if widths, err := s.widths(c.target, c.width); err != nil {
		return c, nil, err
	} else if c.width != 0 && !slices.Contains(widths, c.width) {
		return c, nil, fmt.Errorf("kernel %s: it requires sub-groups of %d work-items, so width %d cannot be", s.name, s.raw.ReqdSubGroupSize, c.width)
	}
	families, err := s.choices(c)
	return c, families, err
}

// planFor is the plan that a config which leaves something open is settled by.
func (s *kernelState) planFor(c config) (*planned, error) { return s.plan(s.planKey(c)) }

// planKey is what of c its plan goes by.
func (s *kernelState) planKey(c config) config {
	if n := s.raw.ReqdWorkGroupSize[0]; n > 0 && s.byGroup {
		c.row = n
	}
	if c.row >= manyItems {
		c.row = 0
	}
	c.checked = false
	c.counting = false // counting must not change what is counted
	return c
}

// widths lists those of a target that the kernel may be compiled with, with one that is
// asked for, or 0: if it calls functions of sub-groups and requires a size of them, that one.
func (s *kernelState) widths(t *target, asked int) ([]int, error) {
	n := s.raw.ReqdSubGroupSize
	if n == 0 || !s.subGroups {
		if slices.Contains(t.more, asked) {
			return append(slices.Clone(t.widths), asked), nil
		}
		return t.widths, nil
	}
	if err := checkSubGroup(s.name, n); err != nil {
		return nil, err
	}
	if !t.takes(n) {
		return nil, fmt.Errorf("kernel %s requires sub-groups of %d work-items; target %s can make them of %s",
			s.name, n, t.name, strings.Trim(fmt.Sprint(t.allWidths()), "[]"))
	}
	return []int{n}, nil
}

// checkSubGroup reports sizes that no sub-group can have.
func checkSubGroup(kernel string, n int) error {
	if n != 0 && !isSubGroup(n) {
		return fmt.Errorf("kernel %s: %s, not %d", kernel, subGroups, n)
	}
	return nil
}

// isSubGroup reports whether a sub-group can have n work-items.
func isSubGroup(n int) bool { return n > 0 && n <= vir.MaxLanes && n&(n-1) == 0 }

// subGroups says what sizes there are.
var subGroups = fmt.Sprintf("sub-groups have a power of two of work-items, up to %d", vir.MaxLanes)

// manyItems is from when on it does not matter how long a row is.
const manyItems = 256

// For returns the kernel compiled for ranges like r, completed as by Resolve: where the
// width is left to the compiler, it fits the rows of the range, or of its work-groups if
// the kernel can tell those apart. Code for ids that are ints would not do for greater
// ones, nor code for the work-group size that a kernel requires for smaller groups at the
// end of a range.
func (k *Kernel) For(r Range) (*Kernel, error) {
	r, err := k.Resolve(r)
	if err != nil {
		return nil, err
	}
	if k, err = k.forGroups(r); err != nil {
		return nil, err
	}
	if k.cfg.target.scalar {
		return k, nil
	}
	if k.cfg.far != r.Far() {
		c := k.cfg
		c.far = r.Far()
		k = &Kernel{k.shared, c, k.out}
	}
	if k.cfg.width != 0 {
		return k, nil
	}
	if _, err := k.shared.prepared(); err != nil {
		return nil, err
	}
	row := r.Global[0]
	if k.shared.byGroup {
		row = r.Local[0]
	}
	c := k.cfg
	c.row = 0
	if row < manyItems {
		c.row = int(row)
	}
	return &Kernel{k.shared, c, k.out}, nil
}

// forGroups returns the kernel for the work-groups of r.
func (k *Kernel) forGroups(r Range) (*Kernel, error) {
	s := k.shared
	if s.base != nil {
		s = s.base
	}
	switch uniform := r.Uniform(s.raw.ReqdWorkGroupSize); {
	case !uniform && s.wholeGroups:
		return nil, fmt.Errorf("kernel %s: a prepared kernel's text is for ranges that the work-group size it requires divides", s.name)
	case uniform && s.uniform != nil:
		s = s.uniform
	case !uniform && s.nonUniform != nil:
		s = s.nonUniform
	case s == k.shared:
		return k, nil
	}
	return &Kernel{s, k.cfg, k.out}, nil
}

// choices is families, of which there must be one.
func (s *kernelState) choices(c config) ([][]config, error) {
	families := s.families(c)
	if len(families) == 0 {
		return nil, s.prog.compileError(diag.Errorf(s.raw.Pos, "kernel %s: lanes cannot be rounds: %s", s.name, s.noRounds(c)))
	}
	return families, nil
}

// families lists the settled configs that c leaves open, by linearizer and
// bypass, ascending in width. The first family is the one to look for the
// width in. One lane agrees with itself: at width 1 there is one family. Where
// lanes never part, the linearizers do the same, and nothing can be skipped.
func (s *kernelState) families(c config) [][]config {
	if c.lanes == Rounds {
		return s.roundsFamilies(c)
	}
	widths := []int{c.width}
	if c.width == 0 {
		widths = c.target.costs.Widths
		if n := s.raw.ReqdSubGroupSize; n > 0 && s.subGroups {
			widths = []int{n}
		}
	}
	one := linearizers[0] // takes any control flow of one lane
	if c.linearizer != nil {
		one = c.linearizer
	}
	var out [][]config
	for _, l := range s.linearizers(c) {
		if c.bypass != "" && len(out) > 0 && !slices.Contains(l.bypasses[:l.tried], c.bypass) {
			continue
		}
		for i, b := range l.bypasses {
			switch {
			case c.bypass != "" && l.bypass(c.bypass) != b:
				continue
			case c.bypass == "" && (i >= l.tried || b == BypassPostpone && !s.postpones || b == BypassRefill && !s.refills):
				continue
			case !s.divergent && c.linearizer == nil && len(out) > 0 && (l != linearizers[0] || c.bypass == "" && bypasses[b].ones == structurize.OnesNone):
				continue
			}
			var family []config
			for _, w := range widths {
				x := c
				x.linearizer, x.bypass, x.width, x.row, x.lanes, x.open = l, b, w, 0, Items, false
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
	if c.lanes == "" {
		out = append(out, s.roundsFamilies(c)...)
	}
	return out
}

// linearizers lists those that c leaves open, or all that take the kernel where its own
// does not.
func (s *kernelState) linearizers(c config) []*linearizer {
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

// noRounds says why lanes cannot be rounds.
func (s *kernelState) noRounds(c config) string {
	c.unsized = false
	switch {
	case c.width == 1:
		return "there is one"
	case s.base != nil && len(s.base.roundsFamilies(c)) > 0:
		return "accesses in its loops are tested, as data decides whether they are in bounds"
	case len(s.roundsFamilies(c)) > 0:
		return "code that is not run here is not told how large buffers are, and the rounds that are begun may read beyond them"
	}
	return "no loop has rounds that only compute and load, and do not depend on each other"
}

// roundsFamilies is families for lanes that are rounds: one, in the width in which what
// they load fills a register, or in that of c.
func (s *kernelState) roundsFamilies(c config) [][]config {
	x := c
	x.linearizer, x.lanes, x.row, x.scalar, x.open = s.linearizers(c)[0], Rounds, 0, "", false
	if x.bypass = x.linearizer.bypass(x.bypass); x.bypass == "" {
		x.bypass = x.linearizer.bypasses[0]
	}
	if x.width == 0 {
		x.width = c.target.costs.Lanes // of 32 bits
		bytes := rounds.Fit(s.raw, x.roundsOptions())
		if bytes == 0 {
			return nil
		}
		x.width = 4 * x.width / bytes
	}
	if !c.target.takes(x.width) || x.width == 1 || !s.roundsFit(x) {
		return nil
	}
	return [][]config{{x}}
}

// way is what a settled config stands for.
func (c config) way() Way {
	if c.linearizer == nil {
		return Way{Target: c.target.name, Width: c.width}
	}
	w := Way{Target: c.target.name, Linearizer: c.linearizer.name, Bypass: c.bypass, Width: c.width, Scalar: c.scalar, Engine: c.engine}
	if c.lanes == Rounds {
		w.Lanes = Rounds
	}
	return w
}

// label names a settled config among those of one target.
func (c config) label() string {
	label := c.linearizer.name
	if c.bypass != c.linearizer.bypasses[0] {
		label += " bypass=" + c.bypass
	}
	label = fmt.Sprintf("%s x%d", label, c.width)
	if c.lanes == Rounds {
		label += " rounds"
	}
	for _, form := range []string{c.scalar, c.engine} {
		if form != "" {
			label += " " + form
		}
	}
	return label
}
