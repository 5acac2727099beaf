package launch

import (
	"context"
	"errors"
	"math/rand"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/kernel"
)

// simulation drives a tuning with pieces of work of one size. Version i takes
// ns[i] for a work-item, and a unit of each launch has the given work-items.
type simulation struct {
	*tuning
	ns     []float64
	random *rand.Rand
	done   []uint64 // work-items, by version
	made   []int
	fails  map[int]bool
}

func simulate(ns ...float64) *simulation {
	return &simulation{
		tuning: newTuning(time.Millisecond, slices.Repeat([]version{{after: Always}}, len(ns))...), ns: ns, random: rand.New(rand.NewSource(1)),
		done: make([]uint64, len(ns)), fails: map[int]bool{},
	}
}

// unit does one piece of work. Its times scatter by a tenth.
func (s *simulation) unit(items uint64, left time.Duration) {
	i, create := s.pick(left)
	if create {
		s.made = append(s.made, i)
		s.tuning.made(i, !s.fails[i])
		if s.fails[i] {
			i = 0
		}
	}
	s.done[i] += items
	s.record(i, items, time.Duration(s.ns[i]*float64(items)*(0.95+0.1*s.random.Float64())), false)
}

func (s *simulation) total() uint64 {
	n := uint64(0)
	for _, x := range s.done {
		n += x
	}
	return n
}

func TestTuningFindsTheFastest(t *testing.T) {
	for _, ns := range [][]float64{{10, 5}, {10, 20}, {10, 9, 8}, {10, 12, 5}, {100, 1, 100}, {10, 400}, {7, 7.5, 6}} {
		for _, items := range []uint64{100, 10_000, 1_000_000} {
			s := simulate(ns...)
			for range 100 + 50_000_000/items {
				s.unit(items, open)
			}
			best := 0
			for i := range ns {
				if ns[i] < ns[best] {
					best = i
				}
			}
			got, steady := s.best, !s.sampling
			require.Equal(t, best, got, "%v by %d", ns, items)
			require.True(t, steady, "%v by %d", ns, items)
			require.Equal(t, len(ns)-1, len(s.made), "%v by %d: each is made once", ns, items)
			lost := s.total() - s.done[best]
			require.Less(t, lost, max(s.total()/5, 20*items), "%v by %d", ns, items)
		}
	}
}

// Some parts of a range are more work than others, such as the ground of a
// picture and the sky: what is compared lies side by side.
func TestTuningComparesNeighbours(t *testing.T) {
	for _, ns := range [][]float64{{10, 8}, {8, 10}, {10, 10.5, 8.5, 10}, {9, 8, 20}} {
		for _, units := range []int{7, 40, 300} {
			s := simulate(ns...)
			for n := range 3000 {
				at := float64(n%units) / float64(units)
				items := uint64(10_000)
				if at > 0.4 {
					items = uint64(20_000 + 50_000*at)
				}
				before := slices.Clone(s.ns)
				for i := range s.ns { // the work-items are 10,000 always
					s.ns[i] *= float64(items) / 10_000
				}
				s.unit(10_000, open)
				copy(s.ns, before)
			}
			best := slices.Index(ns, slices.Min(ns))
			require.Equal(t, best, s.best, "%v in ranges of %d", ns, units)
		}
	}
}

// A version that goes further in some direction is made only once the step
// before has proven right.
func TestTuningGoesOnWhereItGainedSomething(t *testing.T) {
	for _, c := range []struct {
		ns   []float64
		best int
		made []int
	}{
		{[]float64{10, 5, 3, 20}, 2, []int{1, 2, 3}},
		{[]float64{10, 20, 3, 8}, 3, []int{1, 3}},
		{[]float64{10, 6, 9, 20}, 1, []int{1, 2, 3}},
	} {
		s := simulate(c.ns...)
		s.tuning = newTuning(time.Millisecond, version{after: Always}, version{after: Always}, version{after: 1}, version{after: Always})
		for range 2000 {
			s.unit(10_000, open)
		}
		require.Equal(t, c.best, s.best)
		require.Equal(t, c.made, s.made)
	}
}

func TestTuningIsPatient(t *testing.T) {
	s := simulate(10, 5)
	for range 9 {
		s.unit(10_000, open) // 100 us each
	}
	require.Empty(t, s.made, "what has run is less than making the rival takes")
	for range 10 {
		s.unit(10_000, 5*time.Millisecond)
	}
	require.Empty(t, s.made, "what is left is not worth it")
	for range 3 {
		s.unit(10_000, 50*time.Millisecond)
	}
	require.Equal(t, []int{1}, s.made)
}

// TestTuningInAHurry: nothing has to run before versions are compared, every launch takes
// part, and they are compared once.
func TestTuningInAHurry(t *testing.T) {
	s := simulate(10, 4)
	s.hurry(true)
	for n := uint64(2); s.undecided(); n++ {
		require.Less(t, n, uint64(100))
		i, steady := s.steady(n)
		require.Equal(t, s.rounds > 0, steady, "whole launches check what is over")
		if steady {
			s.record(i, 10_000, time.Duration(s.ns[i]*10_000), true)
		} else {
			s.unit(10_000, open)
		}
	}
	require.Equal(t, 1, s.best)
	require.Equal(t, []int{1}, s.made)
	for range 20 {
		s.unit(10_000, open)
		require.False(t, s.sampling)
	}
}

func TestTuningGivesUpOnTheHopeless(t *testing.T) {
	s := simulate(1, 100)
	for range 1000 {
		s.unit(10_000, open) // 10 us, or 1 ms
	}
	require.LessOrEqual(t, s.done[1], uint64(30_000))
}

func TestTuningSkipsWhatCannotBeMade(t *testing.T) {
	s := simulate(10, 1, 5)
	s.fails[1] = true
	for range 1000 {
		s.unit(10_000, open)
	}
	require.False(t, s.sampling)
	require.Equal(t, 2, s.best)
	require.Equal(t, []int{1, 2}, s.made)
	require.Zero(t, s.done[1])
}

// TestTuningFollowsChanges: what is best for the data of one launch need not be
// for that of another, so production ends now and then.
func TestTuningFollowsChanges(t *testing.T) {
	s := simulate(10, 5)
	for range 100 {
		s.unit(100_000, open)
	}
	require.Equal(t, 1, s.best)
	s.ns = []float64{10, 50}
	for range 2000 {
		s.unit(100_000, open)
	}
	require.Equal(t, 0, s.best)
	require.Less(t, s.done[1], s.done[0])
}

// TestWholeLaunchesCheckTheChoice: what disturbed the parts of a launch that the
// first version did does not last.
func TestWholeLaunchesCheckTheChoice(t *testing.T) {
	for _, c := range []struct {
		parts, later []float64
		want, checks int
	}{
		{[]float64{20, 10}, []float64{5, 10}, 0, 2}, {[]float64{20, 10}, []float64{20, 10}, 1, 2},
		{[]float64{80, 10}, []float64{2, 10}, 0, 1}, {[]float64{80, 10}, []float64{80, 10}, 1, 1},
	} {
		s := simulate(c.parts...)
		for s.rounds == 0 {
			s.unit(100_000, open)
		}
		require.Equal(t, 1, s.best)
		launched := []int{0, 0}
		for range 10 {
			i, steady := s.steady(2)
			require.True(t, steady)
			launched[i]++
			s.record(i, 100_000, time.Duration(c.later[i]*100_000), true)
		}
		require.Equal(t, c.want, s.best)
		require.Equal(t, c.checks, launched[1-c.want])
	}
}

// Rivals of a kind that is far behind are not tried, and whole launches hardly, where the parts
// of one have told enough.
func TestTuningDecidesAtOnce(t *testing.T) {
	for _, c := range []struct {
		ns, others []float64 // of one kind, and of another
		made       []int
		best       int
	}{
		{[]float64{30}, []float64{10, 9}, []int{1, 2}, 2},
		{[]float64{30}, []float64{10, 12}, []int{1, 2}, 1},
		{[]float64{10}, []float64{30, 9}, []int{1}, 0},
		{[]float64{10}, []float64{15, 9}, []int{1, 2}, 2},
	} {
		s := simulate(append(c.ns, c.others...)...)
		s.tuning = newTuning(time.Millisecond, version{after: Always}, version{after: Always, kind: 1}, version{after: Always, kind: 1})
		for s.rounds == 0 {
			s.unit(100_000, open)
		}
		require.Equal(t, c.made, s.made, "%v", c)
		require.Equal(t, c.best, s.best, "%v", c)
		checks := 0
		if c.best > 0 {
			checks = 2
			if c.ns[0] < 20 {
				checks = 2 * checksEach
			}
		}
		require.Equal(t, checks, s.check.left, "%v", c)
	}
}

// timed is an executor that puts a clock forward, further in its first launch, and
// counts its launches.
type timed struct {
	clock    *time.Time
	takes    time.Duration
	first    time.Duration // more
	launches int
	err      error
}

func (e *timed) Launch(context.Context, Range, []Arg, int) error {
	if e.launches++; e.launches == 1 {
		*e.clock = e.clock.Add(e.first)
	}
	*e.clock = e.clock.Add(e.takes)
	return e.err
}

func (e *timed) Close() error { return nil }

func TestTunedLaunchesOneVersionEachTime(t *testing.T) {
	clock := time.Unix(0, 0)
	slow, fast := &timed{clock: &clock, takes: 2 * time.Millisecond}, &timed{clock: &clock, takes: 100 * time.Microsecond}
	failed := 0
	x := NewTuned(slow, 0, 0,
		Version{Make: func() (Executor, error) { failed++; return nil, errors.New("no") }, After: Always},
		Version{Make: func() (Executor, error) { return fast, nil }, After: Always})
	x.now = func() time.Time { return clock }
	const n = 30
	for range n {
		require.NoError(t, x.Launch(context.Background(), Of(64), nil, 1))
	}
	require.Equal(t, n, slow.launches+fast.launches)
	require.Equal(t, 2, x.Best())
	require.Equal(t, 1, failed)
	fast.err = errors.New("fault")
	require.ErrorIs(t, x.Launch(context.Background(), Of(64), nil, 1), fast.err)
}

// The first launch of a version, in memory that is new, tells nothing however long it takes.
func TestTunedForgivesFirstLaunches(t *testing.T) {
	clock := time.Unix(0, 0)
	slow := &timed{clock: &clock, takes: 5 * time.Millisecond, first: 20 * time.Millisecond}
	fast := &timed{clock: &clock, takes: 4 * time.Millisecond, first: 20 * time.Millisecond}
	x := NewTuned(slow, 0, 0, Version{Make: func() (Executor, error) { return fast, nil }, After: Always})
	x.now = func() time.Time { return clock }
	for range 60 {
		require.NoError(t, x.Launch(context.Background(), Of(64), nil, 1))
	}
	require.Equal(t, 1, x.Best())
}

// What the first launch takes does not count as time in which others could have been compared.
func TestTunedIsPatientFromTheSecondLaunch(t *testing.T) {
	clock := time.Unix(0, 0)
	first := &timed{clock: &clock, takes: time.Millisecond, first: 20 * time.Millisecond}
	made := false
	x := NewTuned(first, 0, 5*time.Millisecond, Version{Make: func() (Executor, error) { made = true; return &timed{clock: &clock}, nil }, After: Always})
	x.now = func() time.Time { return clock }
	for range 5 {
		require.NoError(t, x.Launch(context.Background(), Of(64), nil, 1))
	}
	require.False(t, made)
	for range 5 {
		require.NoError(t, x.Launch(context.Background(), Of(64), nil, 1))
	}
	require.True(t, made)
}

func TestTunedTakesLaunchesAtOnce(t *testing.T) {
	var mu sync.Mutex
	made := 0
	x := NewTuned(&counted{mu: &mu}, 0, 0, Version{Make: func() (Executor, error) { made++; return &counted{mu: &mu}, nil }, After: Always})
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 200 {
				if err := x.Launch(context.Background(), Of(1), nil, 1); err != nil {
					panic(err)
				}
			}
		})
	}
	group.Wait()
	first, second := x.executors[0].(*counted), x.executors[1].(*counted)
	require.Equal(t, 1, made)
	require.Equal(t, 800, first.n+second.n)
	require.Positive(t, second.n)
}

type counted struct {
	mu *sync.Mutex
	n  int
}

func (e *counted) Launch(context.Context, Range, []Arg, int) error {
	e.mu.Lock()
	e.n++
	e.mu.Unlock()
	time.Sleep(10 * time.Microsecond)
	return nil
}

func (e *counted) Close() error { return nil }

// Of many rows, units are whole ones, side by side: else, versions that take turns might
// get the same parts of all rows.
func TestPiecesAreRows(t *testing.T) {
	p := Program{Kernel: &kernel.Func{}, Width: 8}
	r, err := Range{Dims: 2, Global: [3]uint64{1024, 768}}.Resolve([3]int{})
	require.NoError(t, err)
	units := p.pieces(r, 1, mostPieces)
	require.GreaterOrEqual(t, units.total, uint64(32))
	for i := range units.total {
		x := units.unit(i)
		require.Zero(t, x.start[0])
		require.Equal(t, uint64(1024), x.count)
	}
}

// TestPiecesCoverTheRange: the units that versions share hold every work-item
// once, and begin where each of them may.
func TestPiecesCoverTheRange(t *testing.T) {
	random := rand.New(rand.NewSource(2))
	for range 100 {
		r := Range{Dims: 3}
		for d := range 3 {
			r.Global[d] = uint64(1 + random.Intn([]int{5000, 40, 7}[d]))
		}
		r.Local[0] = uint64(1 + random.Intn(40))
		r, err := r.Resolve([3]int{})
		require.NoError(t, err)
		p := Program{Kernel: &kernel.Func{}, Width: 8, Groups: random.Intn(2) == 0}
		units, sum := p.pieces(r, 1+random.Intn(4), uint64(1+random.Intn(mostPieces))), uint64(0)
		for i := range units.total {
			x := units.unit(i)
			sum += x.items()
			if !p.Groups {
				require.Zero(t, x.start[0]%64)
			}
		}
		require.Equal(t, r.Global[0]*r.Global[1]*r.Global[2], sum)
	}
}

// Versions that need many work-items get them, and not always the same halves of a launch.
func TestPiecesAreLargeEnough(t *testing.T) {
	x := NewTuned(&counted{}, 0, 0)
	require.Equal(t, uint64(1), x.want(Of(100), 1, 8192))
	require.Equal(t, uint64(3), x.want(Of(16384), 1, 8192))
	require.Equal(t, uint64(4), x.want(Of(16384), 4, 8192))
	require.Equal(t, uint64(mostPieces), x.want(Of(1<<20), 1, 8192))
	require.Equal(t, uint64(mostPieces), x.want(Of(100), 1, 0))
}

// Only while a version is compared that needs many work-items are pieces that large; in those
// of a launch that began before, the best runs in its turn.
func TestLargePiecesAreForWhoNeedsThem(t *testing.T) {
	x := newTuning(0, version{after: Always}, version{after: Always}, version{after: Always, piece: 8192})
	require.Zero(t, x.piece())
	x.begin()
	require.Zero(t, x.piece())
	require.Equal(t, 1, x.instead(1, x.piece()))
	small := x.piece()
	x.next()
	require.Equal(t, 2, x.rival)
	require.Equal(t, 0, x.instead(2, small))
	require.Equal(t, uint64(8192), x.piece())
	require.Equal(t, 2, x.instead(2, x.piece()))
}
