package pipeline

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/pass"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/lanes/deferral"
	"github.com/simtc/simtc/opt/lanes/refill"
	"github.com/simtc/simtc/plan"
)

// Lanes lie along dimension 0 of a range, or along another one if its accesses are contiguous or
// its rows are longer. The kernel is then compiled with the two dimensions exchanged, and
// launches exchange those of the range. Lanes may also span the short rows of a work-group, which
// kernel and range then have joined. Only this file and package launch distinguish these forms.

// A laneDim is one more than the dimension along which lanes lie, or joinedRows; 0: open, or the
// kernel has positions only in dimension 0.
type laneDim int

// joinedRows means that lanes span the rows of a work-group along dimensions 0 and 1.
const joinedRows laneDim = 4

// Rows is the value of Strategy.LaneDim for lanes that span the rows of a work-group.
const Rows = "rows"

// dimension returns the number of the dimension, 0 if it is open or rows are joined.
func (d laneDim) dimension() int {
	if d == joinedRows {
		return 0
	}
	return max(int(d)-1, 0)
}

// String formats the field of a Strategy; "" if it is open.
func (d laneDim) String() string {
	switch d {
	case 0:
		return ""
	case joinedRows:
		return Rows
	}
	return strconv.Itoa(d.dimension())
}

// LaneDims lists the dimensions along which lanes may lie, as the field of a Strategy.
func LaneDims() []string { return []string{"0", "1", "2", Rows} }

// laneDimByName returns the value of the field of a Strategy; "" and "auto" leave it open.
func laneDimByName(name string) (laneDim, error) {
	if name == "" || name == "auto" {
		return 0, nil
	}
	d := slices.Index(LaneDims(), name)
	if d < 0 {
		return 0, fmt.Errorf("invalid lane dimension %q: want auto, %s", name, strings.Join(LaneDims(), ", "))
	}
	return laneDim(1 + d), nil
}

// checkLaneDim returns an error for another dimension than 0 with iterations as lanes.
func (c Choice) checkLaneDim() error {
	if c.lanes == Iterations && c.laneDim > 1 {
		return fmt.Errorf("lane dimension %v needs work-items as lanes", c.laneDim)
	}
	return nil
}

// exchangeDimensions exchanges dimension 0 and that of the lanes (kernel.Exchanged), or joins the
// rows of work-groups (kernel.Joined).
//
// requires: a prepared kernel without sub-groups, unless lanes lie along dimension 0
// maintains: what it computes over ranges of the same form; the prepared kernel
func exchangeDimensions(u *unit, st pass.Stats) {
	switch f := u.parts[0].kernel; {
	case u.cfg.laneDim == joinedRows:
		u.set(u.cfg.alongLanes(f))
		st.Add("rows joined", 1)
	case u.cfg.laneDim.dimension() > 0:
		u.set(u.cfg.alongLanes(f))
		st.Add("dimensions exchanged", 1)
	}
}

// alongLanes returns the prepared kernel f with the lanes of c along dimension 0.
func (c Choice) alongLanes(f *kernel.Func) *kernel.Func {
	switch d := c.laneDim.dimension(); {
	case c.laneDim == joinedRows:
		f = kernel.Joined(f, c.group)
		for _, run := range []func(*kernel.Func, opt.Stats){opt.Narrow, opt.Fold, opt.CSE, opt.RemoveDead} {
			run(f, nil)
		}
		return f
	case d > 0:
		return kernel.Exchanged(f, d)
	}
	return f
}

// joinable returns the size of the work-groups of r, as in kernel.Joined, if c leaves open whether
// their rows are joined, or they must be; else 0. All of them must have this size.
//
// Sub-groups continue from row to row, unless their size divides a row. Without sub-groups, dimensions
// 0 and 1 are joined, where the length of a row is a power of two: the rows of a strip are then at
// constant distances.
//
// requires: the kernel is prepared; r is resolved
func (s *state) joinable(c Choice, r launch.Range) (group [3]int) {
	row := r.Local[0]
	if s.subGroups {
		size := cmp.Or(c.width, s.raw.ReqdSubGroupSize, shortRow)
		if r.Local[1]*r.Local[2] == 1 || row%uint64(size) == 0 || !r.WholeGroups() {
			return group
		}
		return [3]int{int(row), int(r.Local[1]), int(r.Local[2])}
	}
	if s.byGroup && s.laneDims[1] && row > 1 && row < maxJoined && row&(row-1) == 0 && r.Local[1] > 1 && r.Global[0]%row == 0 && r.Global[1]%r.Local[1] == 0 {
		return [3]int{int(row), int(r.Local[1]), 1}
	}
	return group
}

// items is the number of work-items of a joined row.
func (c Choice) items() int { return c.group[0] * c.group[1] * c.group[2] }

// maxJoined bounds the rows that are joined: longer ones fill the lanes.
const maxJoined = 64

// shortRow is the number of work-items of a row below which joined rows are a candidate. Rows of
// typicalWidth fill a register, but strips of several have less control flow per work-item and
// independent operations. Longer rows gain little, and planning for them takes time.
const shortRow = 2 * typicalWidth

// laneFacts are the facts about a kernel that depend on the dimension of its lanes.
type laneFacts struct {
	divergent      bool // has a divergent branch
	divergentArms  bool // has one that neither exits a loop nor ends the kernel
	divergentExits bool // has a loop with several divergent exits

	// The rest is computed by forms, once it is needed.
	f              *kernel.Func
	info           *divergence.Info
	formsOnce      sync.Once
	deferrable     bool // a region of it can be deferred (package deferral)
	refillable     bool // it has a loop with divergent exits that can be refilled (package refill)
	certainlyHeavy bool // the deferrable region is certainly expensive

	cost       float64      // rough cost of vector code: see laneCost
	distant    map[int]int  // by ID, loads and stores whose lanes may access distant cache lines, with the bytes of their elements
	contiguous map[int]bool // by ID, loads and stores whose lanes access adjacent elements
	accesses   int          // loads and stores
	adjacent   int          // those in which lanes access adjacent elements or the same one
}

// columns returns the bytes of the largest elements that are adjacent from row to row, but not along
// the lanes, which lie along dimension d; 0 if there are none. Rows follow each other along
// dimension 1, or along 0 if that is exchanged with it.
func (s *state) columns(d int) int {
	next := 1
	if d == 1 {
		next = 0
	}
	if !s.laneDims[next] {
		return 0
	}
	this, bytes := s.lanesAlong(d), 0
	if len(this.distant) == 0 {
		return 0
	}
	other := s.lanesAlong(next)
	for id, n := range this.distant {
		if other.contiguous[id] {
			bytes = max(bytes, n)
		}
	}
	return bytes
}

// typicalWidth is the number of lanes for which facts are computed.
const typicalWidth = 16

// lanesKey identifies the form of a kernel on which its laneFacts depend.
type lanesKey struct {
	dim   laneDim
	group [3]int
}

// lanesAlong returns the facts about the kernel with lanes along dimension d.
//
// requires: the kernel is prepared
func (s *state) lanesAlong(d int) *laneFacts { return s.lanesOf(Choice{laneDim: laneDim(1 + d)}) }

// lanesOf returns the facts about the kernel with the lanes of c.
//
// requires: the kernel is prepared
func (s *state) lanesOf(c Choice) *laneFacts {
	key := lanesKey{dim: max(c.laneDim, 1)}
	if c.laneDim == joinedRows {
		key.group = c.group
	}
	s.factsMu.Lock()
	defer s.factsMu.Unlock()
	if s.facts[key] == nil {
		if s.facts == nil {
			s.facts = map[lanesKey]*laneFacts{}
		}
		s.facts[key] = factsOf(c.alongLanes(s.raw))
	}
	return s.facts[key]
}

// forms returns the facts with those about the forms of divergence handling.
func (l *laneFacts) forms() *laneFacts {
	l.formsOnce.Do(func() {
		l.deferrable, l.certainlyHeavy = deferral.Fit(l.f, l.info, deferral.Options{})
		l.refillable = refill.Fit(l.f, l.info)
		l.f, l.info = nil, nil
	})
	return l
}

func factsOf(f *kernel.Func) *laneFacts {
	out := &laneFacts{distant: map[int]int{}, contiguous: map[int]bool{}}
	loops := cfg.Cycles(f.Graph())
	info := divergence.Analyze(f, divergence.Options{Width: typicalWidth})
	out.f, out.info = f, info
	left := map[*cfg.Cycle]int{}
	for i, b := range f.Blocks {
		c := loops.InnermostCycle(i)
		for _, v := range b.Values {
			out.cost += laneCost(info, v, c)
			if v.Op == kernel.Load || v.Op == kernel.Store {
				if info.DistantLanes(v) {
					t, count := accessed(v)
					out.distant[v.ID] = t.Size() * count
				}
				out.accesses++
				kind, _ := info.Access(v)
				out.contiguous[v.ID] = kind == divergence.AccessContiguous
				if kind == divergence.AccessContiguous || kind == divergence.AccessUniform || kind == divergence.AccessPrivate {
					out.adjacent++
				}
			}
		}
		if !info.Divergent[i] {
			continue
		}
		out.divergent = true
		if c != nil && slices.ContainsFunc(b.Edges, func(e kernel.Edge) bool { return !loops.Contains(c, e.To.ID) }) {
			left[c]++
			out.divergentExits = out.divergentExits || left[c] > 1
		}
		out.divergentArms = out.divergentArms || !slices.ContainsFunc(b.Edges, func(e kernel.Edge) bool {
			return c != nil && !loops.Contains(c, e.To.ID) || len(e.To.Edges) == 0
		})
	}
	return out
}

// laneCost is the cost of v, in the cycle c, for typicalWidth lanes, in operations. It only has to
// distinguish dimensions: an access costs by its addresses, any other operation 1, also one that all
// lanes share, and a level of loops counts as loopTrips iterations.
func laneCost(info *divergence.Info, v *kernel.Value, c *cfg.Cycle) float64 {
	const loopTrips, maxDepth, contiguous, scattered = 10, 4, 1, 2
	cost := 1.0
	if v.Op == kernel.Load || v.Op == kernel.Store {
		switch kind, stride := info.Access(v); kind {
		case divergence.AccessUniform, divergence.AccessContiguous, divergence.AccessPrivate:
			cost = contiguous
		case divergence.AccessStrided:
			_, count := accessed(v)
			cost = float64(min(max(stride, -stride)/int64(v.Args[len(v.Args)-1].Type.Size()*count)+1, typicalWidth))
		default:
			cost = typicalWidth
		}
		if v.Op == kernel.Store && cost > contiguous { // stores in lines that are not in the cache wait for each other
			cost *= scattered
		}
	}
	for depth := 0; c != nil && depth < maxDepth; c, depth = c.Parent, depth+1 {
		cost *= loopTrips
	}
	return cost
}

const (
	// exchangeGain is the estimated speedup required of another dimension than 0.
	exchangeGain = 1.4
	// closeDims is the estimate of the best dimension, relative to the others, up to which
	// the plan compares them by their code.
	closeDims = 3
)

// dims lists the dimensions along which the plan for c lets lanes lie, the best first. The rough
// estimates by which it orders them keep most kernels from being compiled for several.
func (s *state) dims(c Choice) []laneDim {
	switch {
	case s.subGroups && c.group[0] > 0:
		return []laneDim{joinedRows}
	case s.laneDims == [3]bool{true}:
		return []laneDim{0}
	case c.laneDim == joinedRows && !c.canJoin():
		return []laneDim{1}
	case c.laneDim != 0:
		return []laneDim{c.laneDim}
	case c.unknownSizes: // the code has a caller who does not exchange dimensions unless asked to
		return []laneDim{1}
	}
	cost := [3]float64{}
	best := 0
	for d, possible := range s.laneDims {
		if !possible {
			cost[d] = math.Inf(1)
			continue
		}
		if cost[d] = s.lanesAlong(d).cost; c.rows[d] > 0 {
			strips := (c.rows[d] + typicalWidth - 1) / typicalWidth
			cost[d] *= float64(strips*typicalWidth) / float64(c.rows[d])
		}
		if d > 0 && cost[d]*exchangeGain < cost[0] && cost[d] < cost[best] {
			best = d
		}
	}
	out := []laneDim{laneDim(1 + best)}
	if best > 0 && cost[0] < closeDims*cost[best] {
		out = append(out, 1)
	}
	if c.group[0] < shortRow && c.canJoin() {
		out = append(out, joinedRows)
	}
	return out
}

// whyLaneDim explains why lanes lie along dimension d in launches like those of c; "" for the first.
func (s *state) whyLaneDim(of laneDim, c Choice) string {
	d := of.dimension()
	switch {
	case of == joinedRows && s.subGroups:
		return "sub-groups continue from row to row of a work-group"
	case of == joinedRows:
		return fmt.Sprintf("rows of work-groups have only %d work-items", c.group[0])
	case d == 0:
		return ""
	}
	this, first := s.lanesAlong(d), s.lanesAlong(0)
	var whys []string
	if this.adjacent > first.adjacent {
		whys = append(whys, fmt.Sprintf("in %d of %d accesses, neighbouring lanes then use adjacent elements or the same one; along dimension 0, in %d", this.adjacent, this.accesses, first.adjacent))
	}
	if rows := s.planKey(c).rows; rows[0] > 0 && (rows[d] == 0 || rows[d] > rows[0]) {
		whys = append(whys, fmt.Sprintf("rows along dimension 0 have only %d work-items", rows[0]))
	}
	if len(whys) == 0 {
		return "its vector code has the lower estimated cost"
	}
	return strings.Join(whys, "; ")
}

// rowsOf returns the lengths of rows along the dimensions of lanes that affect plans, given the sizes
// of a range or of its work-groups; 0 for others and for long rows. Each combination has a plan, so
// lengths along other dimensions than 0 are rounded.
func (s *state) rowsOf(sizes [3]uint64) (rows [3]int) {
	const exact, step = 16, 4
	for d, possible := range s.laneDims {
		n := int(min(sizes[d], manyItems))
		if d > 0 && n > exact {
			n = (n + step - 1) / step * step
		}
		if possible && n < manyItems {
			rows[d] = n
		}
	}
	return rows
}

// shortRows reports whether launches have so few work-items in rows along any dimension that
// their loops must be long to be worth a launch.
func (s *state) shortRows(c Choice) bool {
	for d, possible := range s.laneDims {
		if possible && (c.rows[d] == 0 || c.rows[d] > plan.ShortRow) {
			return false
		}
	}
	return true
}

// sampledWidths are those at which tests of all strategies include lanes along other dimensions
// than the first: results of wider code differ from the first dimension's by rows alone.
var sampledWidths = []int{4, 16}

// sampledDims lists the dimensions of the lanes in tests of all strategies: that of c, or all that are
// possible.
func (s *state) sampledDims(c Choice) []laneDim {
	if s.laneDims == [3]bool{true} {
		return []laneDim{0}
	}
	if c.laneDim != 0 {
		return []laneDim{c.laneDim}
	}
	out := []laneDim{1}
	for d := 1; d < len(s.laneDims); d++ {
		if s.laneDims[d] {
			out = append(out, laneDim(1+d))
		}
	}
	if c.group[0] > 0 {
		out = append(out, joinedRows)
	}
	return out
}

// sampledWidths returns those of widths that tests of all strategies have for lanes along d.
func (c Choice) sampledWidths(d laneDim, widths []int) []int {
	if d == joinedRows {
		return c.joinedWidths(widths)
	}
	return slices.DeleteFunc(slices.Clone(widths), func(w int) bool { return !slices.Contains(sampledWidths, w) })
}

// sharesSets reports whether launches over r access columns whose cache lines share cache sets.
func (s *state) sharesSets(r launch.Range) bool {
	for d, possible := range s.laneDims {
		if !possible {
			continue
		}
		if n := s.columns(d); n > 0 && r.SharesSets(n) {
			return true
		}
	}
	return false
}

// canJoin reports whether rows of the work-groups of c can be joined.
func (c Choice) canJoin() bool {
	if c.group[0] == 0 || c.unknownSizes {
		return false
	}
	widths := []int{c.width}
	if c.width == 0 {
		widths = c.target.Costs.Widths
	}
	return len(c.joinedWidths(widths)) > 0
}

// joinedWidths returns those widths whose strips span rows and divide a work-group, so that no lane is
// masked.
func (c Choice) joinedWidths(widths []int) []int {
	items := c.items()
	return slices.DeleteFunc(slices.Clone(widths), func(w int) bool { return w <= c.group[0] || items%w != 0 })
}

// rowOf returns the number of work-items in a row along the lanes of x, a settled Choice for a launch
// like those of c; 0: many.
func (c Choice) rowOf(x Choice) int {
	if x.laneDim == joinedRows {
		return x.items() % manyItems
	}
	return c.rows[x.laneDim.dimension()]
}
