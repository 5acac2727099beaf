package pipeline

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/pass"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/opt/lanes/deferral"
	"github.com/simtc/simtc/opt/lanes/refill"
	"github.com/simtc/simtc/plan"
)

// Lanes lie along dimension 0 of a range, or along another one if its accesses are contiguous or
// its rows are longer. The kernel is then compiled with the two dimensions exchanged, and
// launches exchange those of the range: only this file and package launch distinguish them.

// A laneDim is one more than the dimension along which lanes lie; 0: open, or the kernel has
// positions only in dimension 0.
type laneDim int

// dimension returns the number of the dimension, 0 if it is open.
func (d laneDim) dimension() int { return max(int(d)-1, 0) }

// String formats the field of a Strategy; "" if it is open.
func (d laneDim) String() string {
	if d == 0 {
		return ""
	}
	return strconv.Itoa(d.dimension())
}

// LaneDims lists the dimensions along which lanes may lie, as the field of a Strategy.
func LaneDims() []string { return []string{"0", "1", "2"} }

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
	if c.lanes == Iterations && c.laneDim.dimension() > 0 {
		return fmt.Errorf("lane dimension %v needs work-items as lanes", c.laneDim)
	}
	return nil
}

// exchangeDimensions exchanges dimension 0 and that of the lanes (kernel.Exchanged).
//
// requires: a prepared kernel without sub-groups, unless lanes lie along dimension 0
// maintains: what it computes over ranges with the dimensions exchanged; the prepared kernel
func exchangeDimensions(u *unit, st pass.Stats) {
	if d := u.cfg.laneDim.dimension(); d > 0 {
		u.set(kernel.Exchanged(u.parts[0].kernel, d))
		st.Add("dimensions exchanged", 1)
	}
}

// alongLanes returns the prepared kernel with its lanes along dimension 0.
func (s *state) alongLanes(d int) *kernel.Func {
	if d == 0 {
		return s.raw
	}
	return kernel.Exchanged(s.raw, d)
}

// laneFacts are the facts about a kernel that depend on the dimension of its lanes.
type laneFacts struct {
	divergent      bool // has a divergent branch
	divergentArms  bool // has one that neither exits a loop nor ends the kernel
	divergentExits bool // has a loop with several divergent exits
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
	this, other := s.lanesAlong(d), s.lanesAlong(next)
	bytes := 0
	for id, n := range this.distant {
		if other.contiguous[id] {
			bytes = max(bytes, n)
		}
	}
	return bytes
}

// typicalWidth is the number of lanes for which facts are computed.
const typicalWidth = 16

// lanesAlong returns the facts about the kernel with lanes along dimension d.
//
// requires: the kernel is prepared
func (s *state) lanesAlong(d int) *laneFacts {
	s.factsMu.Lock()
	defer s.factsMu.Unlock()
	if s.facts[d] == nil {
		s.facts[d] = factsOf(s.alongLanes(d))
	}
	return s.facts[d]
}

func factsOf(f *kernel.Func) *laneFacts {
	out := &laneFacts{distant: map[int]int{}, contiguous: map[int]bool{}}
	loops := cfg.Cycles(f.Graph())
	info := divergence.Analyze(f, divergence.Options{Width: typicalWidth})
	out.deferrable, out.certainlyHeavy = deferral.Fit(f, info, deferral.Options{})
	out.refillable = refill.Fit(f, info)
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
	case s.laneDims == [3]bool{true}:
		return []laneDim{0}
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
	return out
}

// whyLaneDim explains why lanes lie along dimension d in launches like those of c; "" for the first.
func (s *state) whyLaneDim(d int, c Choice) string {
	if d == 0 {
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

// rowsOf returns the lengths of rows along the dimensions of lanes that affect plans for launches
// over r, which is resolved; 0 for others and for long rows.
func (s *state) rowsOf(sizes [3]uint64) (rows [3]int) {
	for d, possible := range s.laneDims {
		if possible && sizes[d] < manyItems {
			rows[d] = int(sizes[d])
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

// sampledDims lists the dimensions of the lanes in tests of all strategies: the requested one, or
// all that are possible.
func (s *state) sampledDims(requested laneDim) []laneDim {
	if dims := s.dims(Choice{laneDim: max(requested, 1)}); requested != 0 || dims[0] == 0 {
		return dims
	}
	out := []laneDim{1}
	for d := 1; d < len(s.laneDims); d++ {
		if s.laneDims[d] {
			out = append(out, laneDim(1+d))
		}
	}
	return out
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
