// Package cfgtest makes control-flow graphs for tests and benchmarks: random
// ones, reducible and not, and the shapes that are hard on graph algorithms.
// All are determined by the random source they are given. In every graph all
// blocks are reachable from block 0.
package cfgtest

import (
	"math/rand"

	"github.com/simtc/simtc/cfg"
)

// Random returns an arbitrary graph of n blocks with zero to three successors
// a block, irreducible more often than not.
func Random(rng *rand.Rand, n int) *cfg.Graph {
	succs := make([][]int, n)
	for b := 1; b < n; b++ {
		p := rng.Intn(b)
		succs[p] = append(succs[p], b)
	}
	for range rng.Intn(n + 1) {
		b := rng.Intn(n)
		if len(succs[b]) < 3 {
			succs[b] = append(succs[b], rng.Intn(n))
		}
	}
	for _, ss := range succs {
		rng.Shuffle(len(ss), func(i, j int) { ss[i], ss[j] = ss[j], ss[i] })
	}
	return cfg.NewGraph(succs)
}

// Local returns a graph as code full of gotos has it: most edges go a few
// blocks forward, some back, and one block is the only exit, unless a loop
// never ends.
func Local(rng *rand.Rand, n int) *cfg.Graph {
	succs := make([][]int, n)
	for b := 0; b+1 < n; b++ {
		succs[b] = append(succs[b], b+1)
		if rng.Intn(3) > 0 {
			t := b + 1 + rng.Intn(6)
			if rng.Intn(3) == 0 {
				t = b - rng.Intn(8)
			}
			succs[b] = append(succs[b], max(0, min(n-1, t)))
			if rng.Intn(2) == 0 {
				succs[b][0], succs[b][1] = succs[b][1], succs[b][0]
			}
		}
	}
	return cfg.NewGraph(succs)
}

// Structured returns the graph of a random structured program of about n
// blocks: ifs, loops tested at either end, switches, break, continue and early
// return to one last block. It is reducible.
func Structured(rng *rand.Rand, n int) *cfg.Graph {
	p := &program{rng: rng, budget: n}
	p.block()
	exit := -1 // patched below
	end := p.sequence(0, 0, nil)
	if end >= 0 {
		p.edge(end, exit)
	}
	ret := p.block()
	for _, ss := range p.succs {
		for i := range ss {
			if ss[i] == exit {
				ss[i] = ret
			}
		}
	}
	return cfg.NewGraph(prune(p.succs))
}

// prune drops unreachable blocks, keeping the order of the others.
func prune(succs [][]int) [][]int {
	seen := cfg.NewGraph(succs).Reachable()
	number := make([]int, len(succs))
	var kept [][]int
	for b, ok := range seen {
		if ok {
			number[b] = len(kept)
			kept = append(kept, succs[b])
		}
	}
	for _, ss := range kept {
		for i := range ss {
			ss[i] = number[ss[i]]
		}
	}
	return kept
}

type loop struct{ header, after int }

type program struct {
	rng    *rand.Rand
	succs  [][]int
	budget int
}

func (p *program) block() int {
	p.succs = append(p.succs, nil)
	return len(p.succs) - 1
}

func (p *program) edge(a, b int) { p.succs[a] = append(p.succs[a], b) }

// sequence adds statements after block at; it returns the block where control
// is then, or -1 if it never comes out.
func (p *program) sequence(at, depth int, loops []loop) int {
	statements := 1 + p.rng.Intn(4)
	if depth == 0 {
		statements = 1 << 30
	}
	for ; statements > 0 && p.budget > 0; statements-- {
		p.budget -= 2
		kind := p.rng.Intn(10)
		if depth > 12 {
			kind = 0
		}
		switch kind {
		case 0: // straight code
			next := p.block()
			p.edge(at, next)
			at = next
		case 1, 2, 3: // if, with else or without
			then, join := p.block(), p.block()
			p.edge(at, then)
			if end := p.sequence(then, depth+1, loops); end >= 0 {
				p.edge(end, join)
			}
			if kind == 1 {
				p.edge(at, join)
			} else {
				other := p.block()
				p.edge(at, other)
				if end := p.sequence(other, depth+1, loops); end >= 0 {
					p.edge(end, join)
				}
			}
			at = join
		case 4, 5: // while
			header, body, after := p.block(), p.block(), p.block()
			p.edge(at, header)
			p.edge(header, body)
			p.edge(header, after)
			if end := p.sequence(body, depth+1, append(loops, loop{header, after})); end >= 0 {
				p.edge(end, header)
			}
			at = after
		case 6: // do while
			header, latch, after := p.block(), p.block(), p.block()
			p.edge(at, header)
			if end := p.sequence(header, depth+1, append(loops, loop{latch, after})); end >= 0 {
				p.edge(end, latch)
			}
			p.edge(latch, header)
			p.edge(latch, after)
			at = after
		case 7: // switch, cases may fall through
			join := p.block()
			before := -1
			for range 1 + p.rng.Intn(4) {
				label := p.block()
				p.edge(at, label)
				if before >= 0 {
					p.edge(before, label)
				}
				before = p.sequence(label, depth+1, loops)
				if before >= 0 && p.rng.Intn(3) > 0 {
					p.edge(before, join)
					before = -1
				}
			}
			if before >= 0 {
				p.edge(before, join)
			}
			p.edge(at, join)
			at = join
		default: // conditional or plain break, continue, return
			target := -1
			if len(loops) > 0 && kind != 9 {
				l := loops[p.rng.Intn(len(loops))]
				target = l.after
				if kind == 8 && p.rng.Intn(2) == 0 {
					target = l.header
				}
			} else if p.rng.Intn(3) > 0 {
				continue
			}
			p.edge(at, target)
			if depth > 0 && p.rng.Intn(4) == 0 {
				return -1
			}
			next := p.block()
			p.edge(at, next)
			at = next
		}
	}
	return at
}

// Ladder returns n blocks each of which may go to the next or to the last.
func Ladder(n int) *cfg.Graph {
	succs := make([][]int, n)
	for b := 0; b+1 < n; b++ {
		succs[b] = []int{b + 1}
		if b+2 < n {
			succs[b] = append(succs[b], n-1)
		}
	}
	return cfg.NewGraph(succs)
}

// Nest returns a nest of n/2 loops, each with a header and a latch, that ends
// in one last block; jump adds an edge from the middle to the end.
func Nest(n int, jump bool) *cfg.Graph {
	depth := (n - 1) / 2
	succs := make([][]int, 2*depth+1)
	for i := 0; i < depth; i++ {
		succs[i] = []int{i + 1}
		succs[2*depth-1-i] = append(succs[2*depth-1-i], i, 2*depth-i)
	}
	if jump {
		for i := 0; i < depth; i++ {
			succs[i] = append(succs[i], 2*depth)
		}
	}
	return cfg.NewGraph(succs)
}

// Tangle returns a chain of n blocks where each may go two back and two
// forward: one deep irreducible knot.
func Tangle(n int) *cfg.Graph {
	succs := make([][]int, n)
	for b := 0; b+1 < n; b++ {
		succs[b] = []int{b + 1}
		if b%3 == 2 {
			succs[b] = append(succs[b], b-2)
		}
		if b+2 < n && b%2 == 0 {
			succs[b] = append(succs[b], b+2)
		}
		if b%1000 == 999 {
			succs[b] = append(succs[b], b/2)
		}
	}
	return cfg.NewGraph(succs)
}

// Shape is a named family of large graphs for benchmarks.
type Shape struct {
	Name string
	Make func(n int) *cfg.Graph
}

// Shapes lists the families, hardest last.
var Shapes = []Shape{
	{"structured", func(n int) *cfg.Graph { return Structured(rand.New(rand.NewSource(1)), n) }},
	{"local", func(n int) *cfg.Graph { return Local(rand.New(rand.NewSource(1)), n) }},
	{"random", func(n int) *cfg.Graph { return Random(rand.New(rand.NewSource(1)), n) }},
	{"ladder", Ladder},
	{"nest", func(n int) *cfg.Graph { return Nest(n, false) }},
	{"nest-with-jumps", func(n int) *cfg.Graph { return Nest(n, true) }},
	{"tangle", Tangle},
}

// Each calls f with count small random graphs of every kind, of up to size
// blocks, numbered by seed for messages.
func Each(count, size int, f func(kind string, seed int64, g *cfg.Graph)) {
	for seed := int64(0); seed < int64(count); seed++ {
		rng := rand.New(rand.NewSource(seed))
		n := 1 + rng.Intn(size)
		f("random", seed, Random(rng, n))
		f("local", seed, Local(rng, n))
		f("structured", seed, Structured(rng, n))
	}
}
