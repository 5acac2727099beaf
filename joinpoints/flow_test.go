package joinpoints_test

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/cfg/cfgtest"
	"github.com/simtc/simtc/joinpoints"
)

// eachFlow calls f with the flows of random graphs, along the order of Order and along a
// random order.
func eachFlow(count, size int, f func(name string, seed int64, g *cfg.Graph, p *joinpoints.Points)) {
	cfgtest.Each(count, size, func(kind string, seed int64, g *cfg.Graph) {
		f(kind, seed, g, joinpoints.Compute(g, joinpoints.Order(g, cfg.Cycles(g))))
		rng := rand.New(rand.NewSource(seed))
		order := rng.Perm(g.Len() - 1)
		for i := range order {
			order[i]++
		}
		order = append([]int{0}, order...)
		f(kind+" shuffled", seed, g, joinpoints.Compute(g, order))
	})
}

// TestMayRunAgainstReachability compares the closed form of MayRun with the paths of
// control that skips nothing: from a position to the next, and from the end of an
// interval to its start.
func TestMayRunAgainstReachability(t *testing.T) {
	edges := 0
	eachFlow(400, 16, func(name string, seed int64, g *cfg.Graph, p *joinpoints.Points) {
		n := p.Len()
		for u, ss := range g.Succs {
			for _, w := range ss {
				want := make([]bool, n)
				stack := []int{p.Pos[u]}
				for len(stack) > 0 {
					x := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					for _, y := range onwards(p, x, p.Pos[w]) {
						if y != p.Pos[w] && !want[y] {
							want[y] = true
							stack = append(stack, y)
						}
					}
				}
				got := make([]bool, n)
				for _, r := range p.MayRun(u, w) {
					require.LessOrEqual(t, r.Lo, r.Hi)
					for x := r.Lo; x <= r.Hi; x++ {
						require.False(t, got[x])
						got[x] = true
					}
				}
				require.Equal(t, want, got, "%s %d: edge %d-%d, positions %d-%d in %v", name, seed, u, w, p.Pos[u], p.Pos[w], p.Intervals)
				edges++
			}
		}
	})
	require.Greater(t, edges, 10000)
}

// onwards returns the positions where control may go from the end of x while a lane waits
// at w: to the starts of the intervals that end there, innermost first, always if w is
// inside, and otherwise to the next position.
func onwards(p *joinpoints.Points, x, w int) []int {
	var to []int
	for _, i := range p.Ends(x) {
		to = append(to, p.Intervals[i].Lo)
		if p.Intervals[i].Contains(w) {
			return to
		}
	}
	if x+1 < p.Len() {
		to = append(to, x+1)
	}
	return to
}

// machine runs lanes along the order as described in the package comment.
type machine struct {
	t     *testing.T
	name  string
	p     *joinpoints.Points
	wait  []int // by lane: the position where it waits
	at    joinpoints.Target
	empty []bool // heads reached without active lanes

	ran   bool // control reached this end by running its block
	runs  int  // number of blocks run
	moved func(pos int, active []int)
}

func (m *machine) active(pos int) []int {
	var lanes []int
	for l, w := range m.wait {
		if w == pos {
			lanes = append(lanes, l)
		}
	}
	return lanes
}

// step performs one move of control; it returns false at the end of the flow.
func (m *machine) step() bool {
	p, at := m.p, m.at
	if at.Pos == p.Len() {
		for _, w := range m.wait {
			require.Equal(m.t, p.Len(), w, "%s: a lane is left behind", m.name)
		}
		return false
	}
	if at.End {
		for _, i := range p.Ends(at.Pos) {
			s := p.Intervals[i]
			if !m.ran && s.Lo > p.Intervals[at.Interval].Lo {
				continue // control entered from outside this interval
			}
			jump := false
			for _, w := range m.wait {
				if s.Contains(w) {
					require.Equal(m.t, s.Lo, w, "%s: a lane waits within interval %v", m.name, s)
					jump = true
				}
			}
			if jump {
				m.at, m.ran = joinpoints.Target{Pos: s.Lo}, false
				return true
			}
		}
		m.at, m.ran = p.Next[at.Pos], false
		m.enters(at.Pos)
		return true
	}
	active := m.active(at.Pos)
	if len(active) == 0 {
		m.empty[at.Pos] = true
		m.at = p.NextJoin[at.Pos]
		m.enters(at.Pos)
		return true
	}
	m.runs++
	m.moved(at.Pos, active)
	m.at.End, m.ran = true, true
	return true
}

// enters checks that control moved forward, and entered intervals only at their start.
func (m *machine) enters(from int) {
	to := m.at.Pos
	if m.at.End {
		require.GreaterOrEqual(m.t, to, from, m.name)
		return
	}
	require.Greater(m.t, to, from, m.name)
	if to == m.p.Len() {
		return
	}
	for i := m.p.Innermost(to); i >= 0; i = m.p.Intervals[i].Parent {
		s := m.p.Intervals[i]
		require.True(m.t, s.Contains(from) || s.Lo == to, "%s: from %d into the middle of %v at %d", m.name, from, s, to)
	}
}

// choose is a lane's decision at its step-th block: random at first, then along a
// shortest path to an exit, if there is one.
func choose(g *cfg.Graph, home []int, seed int64, lane, step, b int) int {
	ss := g.Succs[b]
	if step < 20 {
		h := uint64(seed)*0x9E3779B97F4A7C15 ^ uint64(lane)*0xC2B2AE3D27D4EB4F ^ uint64(step)*0x165667B19E3779F9
		h ^= h >> 29
		h *= 0xBF58476D1CE4E5B9
		h ^= h >> 32
		return ss[h%uint64(len(ss))]
	}
	best := ss[0]
	for _, s := range ss {
		if home[s] >= 0 && (home[best] < 0 || home[s] < home[best]) {
			best = s
		}
	}
	return best
}

// distances returns the number of edges from each block to an exit, -1 if no exit is
// reachable.
func distances(g *cfg.Graph) []int {
	home := make([]int, g.Len())
	var queue []int
	for b := range home {
		home[b] = -1
		if len(g.Succs[b]) == 0 {
			home[b] = 0
			queue = append(queue, b)
		}
	}
	for len(queue) > 0 {
		b := queue[0]
		queue = queue[1:]
		for _, u := range g.Preds[b] {
			if home[u] < 0 {
				home[u] = home[b] + 1
				queue = append(queue, u)
			}
		}
	}
	return home
}

// TestLanesVisitWhatTheyVisitAlone checks that lanes running together visit the same
// blocks as each lane alone, that control is without active lanes only at JOIN points,
// and that it reaches the end after every lane has.
func TestLanesVisitWhatTheyVisitAlone(t *testing.T) {
	const lanes, alone = 6, 200
	finished, unfinished, moves := 0, 0, 0
	eachFlow(400, 24, func(name string, seed int64, g *cfg.Graph, p *joinpoints.Points) {
		home := distances(g)
		want := make([][]int, lanes)
		all := true
		for l := range want {
			b := 0
			for {
				want[l] = append(want[l], b)
				if len(g.Succs[b]) == 0 {
					break
				}
				if len(want[l]) == alone {
					all = false
					break
				}
				b = choose(g, home, seed, l, len(want[l]), b)
			}
		}

		got := make([][]int, lanes)
		m := &machine{t: t, name: name, p: p, wait: make([]int, lanes), empty: make([]bool, p.Len())}
		m.moved = func(pos int, active []int) {
			b := p.Order[pos]
			for _, l := range active {
				got[l] = append(got[l], b)
				if len(g.Succs[b]) == 0 {
					m.wait[l] = p.Len()
				} else {
					m.wait[l] = p.Pos[choose(g, home, seed, l, len(got[l]), b)]
				}
			}
		}
		// Each lane runs at most alone blocks, and between two blocks control passes each
		// head and end once.
		limit := lanes * alone
		for m.runs < limit && m.step() {
			moves++
		}
		joins := joinPoints(t, name, g, p)
		for q, empty := range m.empty {
			require.True(t, !empty || joins[q], "%s %d: no lane at %d, which is no JOIN point", name, seed, q)
		}
		if all {
			finished++
			require.Equal(t, p.Len(), m.at.Pos, "%s %d: lanes end but control does not", name, seed)
			require.Equal(t, want, got, "%s %d", name, seed)
			return
		}
		unfinished++
		for l := range got {
			k := min(len(got[l]), len(want[l]))
			require.Equal(t, want[l][:k], got[l][:k], "%s %d", name, seed)
		}
	})
	require.Greater(t, finished, 1000)
	require.Greater(t, unfinished, 100)
	t.Logf("%d runs to the end, %d not, %d moves", finished, unfinished, moves)
}

// joinPoints returns the heads that control reaches without active lanes for a single
// lane on any edge. With several lanes it reaches no others without active lanes. Since
// the last block that ran, control has not jumped back (a block runs after a back jump),
// so it followed the path of one of that block's lanes running alone, and that lane still
// waits.
func joinPoints(t *testing.T, name string, g *cfg.Graph, p *joinpoints.Points) []bool {
	empty := make([]bool, p.Len())
	run := func(u, w int) {
		m := &machine{t: t, name: name, p: p, wait: []int{w}, empty: empty, at: joinpoints.Target{Pos: u, End: true}, ran: true}
		m.moved = func(pos int, _ []int) { m.wait[0] = -1 }
		for m.wait[0] >= 0 && m.step() {
		}
	}
	for u, b := range p.Order {
		for _, s := range g.Succs[b] {
			run(u, p.Pos[s])
		}
		if len(g.Succs[b]) == 0 {
			run(u, p.Len())
		}
	}
	return empty
}

// staticGraph is the graph of the code emitted by a linearizer: node p is the head of p
// and its block, n the end of the flow. These are followed by a node for the test of each
// interval's back jump, and one for the code after the tests at each end.
func staticGraph(p *joinpoints.Points, joins []bool) *cfg.Graph {
	n, tests := p.Len(), p.Len()+1
	rest := tests + len(p.Intervals)
	node := func(x joinpoints.Target) int {
		if x.End {
			return tests + x.Interval
		}
		return x.Pos
	}
	succs := make([][]int, rest+n)
	for q := range p.Order {
		at := q
		if joins[q] {
			succs[q] = append(succs[q], node(p.NextJoin[q]))
		}
		for _, i := range p.Ends(q) {
			succs[at] = append(succs[at], tests+i)
			succs[tests+i] = []int{p.Intervals[i].Lo}
			at = tests + i
		}
		succs[at] = append(succs[at], rest+q)
		succs[rest+q] = []int{node(p.Next[q])}
	}
	return cfg.NewGraph(succs)
}

// TestStaticFlow checks that the code has uniform and reducible control flow, so that
// structured control (loops and blocks) suffices for a target.
func TestStaticFlow(t *testing.T) {
	joins, heads := 0, 0
	eachFlow(300, 24, func(name string, seed int64, g *cfg.Graph, p *joinpoints.Points) {
		at := joinPoints(t, name, g, p)
		require.True(t, cfg.Cycles(staticGraph(p, at)).Reducible(), "%s %d", name, seed)
		for _, join := range at {
			heads++
			if join {
				joins++
			}
		}
	})
	require.Less(t, joins, heads)
}
