package launch

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"time"
)

// tuning chooses the version of a kernel that runs the next unit of work from the times of
// earlier units. Phases alternate: in production, the best version so far runs; in
// sampling, it and each candidate in turn are measured, and the faster one stays.
// (Diniz and Rinard, "Dynamic Feedback: An Effective Technique for Adaptive Computing",
// PLDI 1997, section 4.)
//
// Versions are numbers, and times are passed in by the caller.
type tuning struct {
	mu       sync.Mutex
	versions []version
	best     int

	comparisons int           // completed sampling phases
	patience    time.Duration // time to create a version
	spent       time.Duration // in this phase
	due         time.Duration // length of the production phase
	hurried     bool          // the first sampling phase is due at once

	sampling  bool
	candidate int
	pending   []int   // candidates still to be sampled after it
	turn      int     // the version to sample: best or candidate
	making    bool    // the candidate is being created
	before    int     // the best version at the start of sampling
	gain      float64 // lower bound of the speedup of the best over before
	parts     bool    // samples are of parts of launches
	forced    int     // the version that all launches run, or none

	check check

	// fresh: a version's first launch uses new memory, which costs more than the difference
	// between versions, even for long launches.
	fresh bool
}

// check compares two versions by whole launches, in turns, after parts of launches chose
// a new best version: a disturbance may have affected all of those parts.
type check struct {
	left    int    // launches
	of      [2]int // versions: the previous best and the new one
	fastest [2]float64
}

// version is the state of one version.
type version struct {
	after    int    // it is tried only if version after is the best; Always: in any case
	kind     int    // versions of a kind perform alike
	minItems uint64 // minimum work-items of a unit that shows its speed
	made     bool
	unfit    bool // it cannot be created or cannot share launches
	warm     bool // the one-time costs of its first run are paid
	items    uint64
	time     time.Duration
	samples  []float64 // ns per work-item
	sampled  time.Duration
	over     float64 // time relative to the best at the start of sampling; 0: not compared
}

const (
	// samplesEach is the number of samples of a candidate; minSamples suffice if they take
	// longSamples in total. The best version gets one more.
	samplesEach, minSamples = 15, 5
	checksEach              = 2
	// minSample is the minimum duration of a sample.
	minSample = 30 * time.Microsecond
	// minUnit is the minimum expected duration of a unit: starting and timing one
	// costs about 2 µs.
	minUnit = 2 * minSample
	// longSample is the duration from which a version's first, cold sample counts too, and
	// a single sample may decide.
	longSample  = time.Millisecond
	longSamples = 2 * time.Millisecond
	// A single sample decides if one version is clearLong (long samples) or clearShort
	// (short samples) times slower.
	clearLong, clearShort = 1.5, 3.0
	// A number of few samples decides if all of them show a ratio of likely.
	likely, few = 1.3, 3
	// decisive is the ratio that rules out all versions of the slower one's kind and
	// shortens the check to one whole launch of each version.
	decisive = 2.2
	// advantage is the fraction of time that a candidate must save to be preferred.
	advantage = 0.03
	// payback is the length of production relative to that of sampling.
	payback = 100
	// worthwhile is the expected rest of a launch that may be the only one, relative to the
	// time to create the other versions, from which sampling pays.
	worthwhile = 10
	// minPatience is the lower bound of patience.
	minPatience = 500 * time.Microsecond
)

// newTuning returns the state for versions of which the first is created.
func newTuning(patience time.Duration, versions ...version) *tuning {
	patience = max(patience, minPatience)
	versions[0].made = true
	return &tuning{versions: versions, patience: patience, due: patience, forced: none}
}

// open is the expected rest of a launch that is known not to be the only one.
const open = time.Duration(math.MaxInt64)

// pick returns the version for the next unit of a launch with left as its expected rest.
// If create is set, the caller must create the version and call made before it uses it.
func (t *tuning) pick(left time.Duration) (i int, create bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.sampling && t.isDue() && left/worthwhile >= t.patience*time.Duration(t.others()) {
		t.begin()
	}
	switch {
	case !t.sampling:
		return t.best, false
	case t.versions[t.turn].made:
		return t.turn, false
	case t.making:
		return t.best, false
	}
	t.making = true
	return t.turn, true
}

// isDue reports whether the production phase is over.
func (t *tuning) isDue() bool { return t.spent >= t.due || t.hurried && t.comparisons == 0 }

// hurry sets whether the versions are compared without waiting.
func (t *tuning) hurry(on bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hurried = on
}

// hurrying reports the state that hurry sets.
func (t *tuning) hurrying() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.hurried
}

// undecided reports whether the first comparison, or the check of its outcome, is
// incomplete.
func (t *tuning) undecided() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.comparisons == 0 || t.check.left > 0
}

// minItems returns the minimum work-items of a unit for the versions under comparison.
func (t *tuning) minItems() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.sampling {
		return 0
	}
	return max(t.versions[t.best].minItems, t.versions[t.candidate].minItems)
}

// atMost returns the version to run in units of minItems work-items: i, or the best if i
// needs more.
func (t *tuning) atMost(i int, minItems uint64) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.versions[i].minItems > minItems {
		return t.best
	}
	return i
}

// forgetSpent restarts production unless sampling has begun. The first launch takes longer
// than later ones, as it touches cold memory and code. Trying other versions at once would
// keep the best one from warming up, for instance from training branch predictors.
func (t *tuning) forgetSpent() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.sampling && t.comparisons == 0 {
		t.spent = 0
	}
}

// others returns the number of versions that are tried if none is better than the first.
func (t *tuning) others() int {
	n := 0
	for _, v := range t.versions[1:] {
		if v.after <= 0 {
			n++
		}
	}
	return n
}

// made records that version i was created (fit) or cannot be used.
func (t *tuning) made(i int, fit bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.making = false
	t.versions[i].made, t.versions[i].unfit = fit, !fit
	if fit {
		return
	}
	t.check.left = 0
	if t.best == i {
		t.best = 0
	}
	if t.sampling && (t.candidate == i || t.best == 0) {
		t.next()
	}
}

// record records that version i took d for a number of work-items, of a whole launch or of
// part of one.
func (t *tuning) record(i int, items uint64, d time.Duration, whole bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spent += d
	if whole && t.check.left > 0 {
		t.checked(i, float64(d)/float64(items))
	}
	v := &t.versions[i]
	if cold := !v.warm; cold {
		v.warm = true
		if d < longSample || t.fresh {
			return
		}
	}
	if !t.sampling || i != t.turn {
		return
	}
	t.parts = t.parts || !whole
	v.items += items
	if v.time += d; v.time < minSample {
		return
	}
	enough := clearShort
	if v.time >= longSample {
		enough = clearLong
	}
	v.sampled += v.time
	v.samples = append(v.samples, float64(v.time)/float64(v.items))
	v.items, v.time = 0, 0
	if i != t.best {
		t.turn = t.best
		return
	}
	t.turn = t.candidate
	candidate := &t.versions[t.candidate]
	n := len(candidate.samples)
	if n == 0 {
		return
	}
	if n == samplesEach || n >= minSamples && candidate.sampled >= longSamples {
		if r := ratio(candidate.samples, v.samples); r < 1-advantage {
			t.accept(1 / r)
		} else {
			t.reject(r)
		}
		return
	}
	if n >= few {
		enough = min(enough, likely)
	}
	switch all := nearestRatios(candidate.samples, v.samples); {
	case slices.Max(all) < 1/enough:
		t.accept(1 / slices.Max(all))
	case slices.Min(all) > enough:
		t.reject(slices.Min(all))
	}
}

// accept makes the candidate the best version; it is faster by the factor times.
func (t *tuning) accept(times float64) {
	t.compared()
	if times > decisive {
		t.giveUp(t.best)
	}
	t.best = t.candidate
	t.gain *= times
	t.next()
}

// reject drops the candidate; it is slower by the factor times.
func (t *tuning) reject(times float64) {
	t.compared()
	if times > decisive {
		t.giveUp(t.candidate)
	}
	t.next()
}

// compared records the relative time of the candidate.
func (t *tuning) compared() {
	best, candidate := &t.versions[t.best], &t.versions[t.candidate]
	candidate.over = best.over * ratio(candidate.samples, best.samples)
}

// giveUp drops the remaining candidates of the slower version's kind, unless both compared
// versions are of that kind.
func (t *tuning) giveUp(slower int) {
	if t.versions[t.best].kind != t.versions[t.candidate].kind {
		t.pending = slices.DeleteFunc(t.pending, func(i int) bool { return t.versions[i].kind == t.versions[slower].kind })
	}
}

// nearestRatios returns conservative ratios of the candidate's times to the best version's:
// each sample is compared with the nearer of the two samples of the best around it, and
// the ratio is 1 between them, because parts of a range differ in work.
func nearestRatios(candidate, best []float64) []float64 {
	out := make([]float64, len(candidate))
	for i, x := range candidate {
		out[i] = x / min(max(x, min(best[i], best[i+1])), max(best[i], best[i+1]))
	}
	return out
}

// ratio returns the overall ratio of the candidate's time to the best version's. Each
// sample is compared with the mean of the two samples of the best around it, which is
// exact for work that grows linearly and unbiased for jumps. The fifth at each end is
// dropped as possibly disturbed.
func ratio(candidate, best []float64) float64 {
	type pair struct{ candidate, best float64 }
	pairs := make([]pair, len(candidate))
	for i, x := range candidate {
		pairs[i] = pair{x, (best[i] + best[i+1]) / 2}
	}
	slices.SortFunc(pairs, func(x, y pair) int { return cmp.Compare(x.candidate*y.best, y.candidate*x.best) })
	var sum pair
	for _, x := range pairs[len(pairs)/5 : len(pairs)-len(pairs)/5] {
		sum.candidate += x.candidate
		sum.best += x.best
	}
	return sum.candidate / sum.best
}

// begin starts to sample all candidates.
func (t *tuning) begin() {
	t.pending = t.pending[:0]
	for i := range t.versions {
		if i != t.best && !t.versions[i].unfit {
			t.pending = append(t.pending, i)
		}
	}
	t.sampling, t.spent, t.before, t.gain, t.parts = true, 0, t.best, 1, false
	for i := range t.versions {
		t.versions[i].over = 0
	}
	t.versions[t.best].over = 1
	t.next()
}

// next continues with the next candidate, or with production.
func (t *tuning) next() {
	for len(t.pending) > 0 && t.versions[t.pending[0]].after != Always && t.versions[t.pending[0]].after != t.best {
		t.pending = t.pending[1:]
	}
	if len(t.pending) == 0 {
		t.sampling = false
		t.comparisons++
		t.due, t.spent = max(t.spent, t.patience)*payback, 0
		if t.best != t.before && t.parts {
			launches := checksEach
			if t.gain > decisive {
				launches = 1
			}
			t.check = check{2 * launches, [2]int{t.before, t.best}, [2]float64{math.Inf(1), math.Inf(1)}}
		}
		return
	}
	t.candidate, t.pending = t.pending[0], t.pending[1:]
	t.turn = t.best
	t.versions[t.candidate].warm = false
	for _, i := range []int{t.best, t.candidate} {
		v := &t.versions[i]
		v.items, v.time, v.samples, v.sampled = 0, 0, v.samples[:0], 0
	}
}

// steady reports whether the n-th launch runs one version only, and which: the best so far,
// or one that is being checked. While sampling without hurry, every second launch runs the
// best version.
func (t *tuning) steady(n uint64) (int, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.forced != none {
		return t.forced, true
	}
	if !t.sampling && t.check.left > 0 {
		return t.check.of[t.check.left%2], n > 1
	}
	return t.best, n > 1 && (!t.sampling && !t.isDue() || n%2 == 1 && !t.hurried)
}

// checked records the time of version i per work-item in a whole launch.
func (t *tuning) checked(i int, ns float64) {
	c := &t.check
	turn := c.left % 2
	if i != c.of[turn] {
		return
	}
	c.fastest[turn] = min(c.fastest[turn], ns)
	if c.left--; c.left == 0 && c.fastest[0] < c.fastest[1] {
		t.best = c.of[0]
	}
}
