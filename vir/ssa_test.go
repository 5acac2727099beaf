package vir

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/cfg/cfgtest"
)

// An access sets a variable to a number, or, if it has a value, reads that value from it.
type access struct {
	variable int
	set      uint64
	found    *Value
}

// builtInOrder makes a function with the shape of g, block by block. Each block is sealed
// before it is filled if its predecessors are known then, else when the last of them has
// been filled.
func builtInOrder(rng *rand.Rand, g *cfg.Graph, variables int) (*Func, *Variables, [][]access) {
	f := &Func{}
	s := NewVariables(f)
	for range variables {
		s.Declare(Scalar(alu.I32), "")
	}
	blocks := make([]*Block, g.Len())
	for i := range blocks {
		blocks[i] = f.NewBlock("")
	}
	did := make([][]access, g.Len())
	next := uint64(1)
	filled := make([]bool, g.Len())
	seal := func() {
		for i, b := range blocks {
			if !slices.ContainsFunc(g.Preds[i], func(p int) bool { return !filled[p] }) {
				s.Seal(b)
			}
		}
	}
	seal()
	for i, b := range blocks {
		for range rng.Intn(4) {
			a := access{variable: rng.Intn(variables)}
			// Some variables are written often, others rarely.
			if rng.Intn(4*(a.variable+1)) == 0 {
				a.set = next
				next++
				s.Write(b, a.variable, f.Const(Scalar(alu.I32), a.set))
			} else {
				a.found = s.Read(b, a.variable)
			}
			did[i] = append(did[i], a)
		}
		for _, to := range g.Succs[i] {
			b.Edges = append(b.Edges, Edge{To: blocks[to]})
			s.Connect(b, blocks[to])
		}
		filled[i] = true
		seal()
	}
	return f, s, did
}

// randomGraph returns a graph whose first block has no predecessor, often without cycles.
func randomGraph(rng *rand.Rand) *cfg.Graph {
	g := cfgtest.Random(rng, 2+rng.Intn(30))
	succs := make([][]int, g.Len())
	forward := rng.Intn(2) == 0
	for b, ss := range g.Succs {
		for _, t := range ss {
			if t != 0 && (t > b || !forward) {
				succs[b] = append(succs[b], t)
			}
		}
	}
	return cfg.NewGraph(succs)
}

// On every path through the graph, each read gives the value last written on the path.
func TestVariablesAreWhatWasLastWritten(t *testing.T) {
	for seed := range int64(3000) {
		rng := rand.New(rand.NewSource(seed))
		const variables = 5
		f, s, did := builtInOrder(rng, randomGraph(rng), variables)
		s.Finish()
		for range 20 {
			var last [variables]uint64
			params := map[*Value]uint64{}
			value := func(v *Value) uint64 {
				if v.Op == Param {
					x, ok := params[v]
					require.True(t, ok, "seed %d: a parameter of a block that was not passed", seed)
					return x
				}
				return v.Const
			}
			at := 0
			for range 60 {
				for _, a := range did[at] {
					if a.found == nil {
						last[a.variable] = a.set
					} else {
						require.Equal(t, last[a.variable], value(a.found), "seed %d block %d", seed, at)
					}
				}
				b := f.Blocks[at]
				if len(b.Edges) == 0 {
					break
				}
				e := b.Edges[rng.Intn(len(b.Edges))]
				require.Len(t, e.Args, len(e.To.Params), "seed %d", seed)
				var args []uint64
				for _, v := range e.Args {
					args = append(args, value(v))
				}
				for i, p := range e.To.Params {
					params[p] = args[i]
				}
				at = e.To.ID
			}
		}
	}
}

// Known dominators are correct, and all are known if all edges lead forward.
func TestDominatorsOfAGraphInTheMaking(t *testing.T) {
	forward := 0
	for seed := range int64(2000) {
		rng := rand.New(rand.NewSource(seed))
		g := randomGraph(rng)
		_, s, _ := builtInOrder(rng, g, 3)
		want := cfg.Dominators(g)
		all := true
		for b, succs := range g.Succs {
			all = all && !slices.ContainsFunc(succs, func(t int) bool { return t <= b })
		}
		if all {
			forward++
		}
		for a := range g.Len() {
			for b := range g.Len() {
				if got := s.dom.dominates(a, b); got || all {
					require.Equal(t, want.Dominates(a, b), got, "seed %d: %d and %d", seed, a, b)
				}
			}
		}
	}
	require.Greater(t, forward, 500)
}

// A variable that is read in many loops, one after the other, gets no parameters in the others: a
// read in one finds the definition without a visit of those before it.
func TestReadsLookPastLoops(t *testing.T) {
	f := &Func{}
	s := NewVariables(f)
	x := s.Declare(Scalar(alu.I32), "x")
	first := f.NewBlock("")
	s.Seal(first)
	s.Write(first, x, f.Const(Scalar(alu.I32), 7))
	at := first
	for range 100 {
		head, body, exit := f.NewBlock(""), f.NewBlock(""), f.NewBlock("")
		s.Connect(at, head)
		s.Connect(head, body)
		s.Connect(head, exit)
		s.Seal(body)
		s.Read(body, x)
		s.Connect(body, head)
		s.Seal(head)
		s.Seal(exit)
		require.Len(t, head.Params, 1)
		require.Equal(t, []int{first.ID}, s.writers[x])
		at = exit
	}
	require.EqualValues(t, 7, s.Read(at, x).Const)

	// Nor do reads make parameters once the graph is complete.
	f = &Func{}
	s = NewVariables(f)
	x = s.Declare(Scalar(alu.I32), "x")
	at = f.NewBlock("")
	s.Write(at, x, f.Const(Scalar(alu.I32), 7))
	for range 100 {
		head, body, exit := f.NewBlock(""), f.NewBlock(""), f.NewBlock("")
		for _, e := range [][2]*Block{{at, head}, {head, body}, {head, exit}, {body, head}} {
			s.Connect(e[0], e[1])
		}
		at = exit
	}
	s.SealAll()
	require.EqualValues(t, 7, s.Read(at, x).Const)
	for _, b := range f.Blocks {
		require.Empty(t, b.Params)
	}
}

// A variable is not recorded in blocks that do not access it.
func TestVariablesAreNotNotedWhereTheyPassThrough(t *testing.T) {
	f := &Func{}
	s := NewVariables(f)
	const n = 1000
	x := s.Declare(Scalar(alu.I32), "x")
	at := f.NewBlock("")
	s.Seal(at)
	s.Write(at, x, f.Const(Scalar(alu.I32), 7))
	for range n { // a branch, and one arm of it
		arm, join := f.NewBlock(""), f.NewBlock("")
		s.Connect(at, arm)
		s.Connect(at, join)
		s.Seal(arm)
		s.Connect(arm, join)
		s.Seal(join)
		at = join
	}
	require.EqualValues(t, 7, s.Read(at, x).Const)
	noted := 0
	for _, b := range f.Blocks {
		if s.defs[x].Get(b.ID) != nil {
			noted++
		}
	}
	require.Equal(t, 1, noted)
}
