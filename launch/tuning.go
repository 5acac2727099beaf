package launch

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"time"
)

// tuning decides which of several versions of a kernel does the next piece of
// work, from how long they took for others. Phases alternate: in production the
// best version so far works; then it and each rival in turn are sampled, and the
// faster goes on. (Diniz and Rinard, "Dynamic Feedback: An Effective Technique
// for Adaptive Computing", PLDI 1997, section 4.)
//
// It knows versions by number and time by what it is told.
type tuning struct {
	mu       sync.Mutex
	versions []version
	best     int

	rounds   int           // of sampling that are over
	patience time.Duration // what it takes to make a version
	spent    time.Duration // since the phase began
	due      time.Duration // how long production lasts
	hurried  bool          // the first sampling is due whatever has been spent, in every launch

	sampling bool
	rival    int
	rivals   []int   // those that come after it
	turn     int     // the version to sample: best or rival
	making   bool    // somebody makes the rival
	before   int     // the best when sampling began
	gain     float64 // how many times faster than that one the best has been since, at least
	parts    bool    // samples are of parts of launches
	forced   int     // the version that all launches run; none: whose turn it is

	check check

	// fresh says that a version's first launch runs in memory that is new, which takes longer
	// than many launches differ by, however long those take.
	fresh bool
}

// check is a comparison of whole launches, in turns, after parts of launches made
// another version the best: those may have been disturbed all alike.
type check struct {
	left  int    // launches
	of    [2]int // versions: the best before, and now
	least [2]float64
}

// version is what is known of one of them.
type version struct {
	after   int    // it is tried only when that is the best; Always: whatever is
	kind    int    // those of one kind come closer to each other than to others
	piece   uint64 // how many work-items it needs to show what it can
	made    bool
	unfit   bool // it cannot be made, or not take part
	warm    bool // what the first work costs besides is paid
	items   uint64
	time    time.Duration
	samples []float64 // ns for each work-item
	sampled time.Duration
	over    float64 // how many times longer it took than the best when sampling began; 0: it was not compared
}

const (
	// samplesEach is how many samples of a rival are taken, and leastSamples how
	// many if they take longSamples together; of the best there is one more.
	samplesEach, leastSamples = 15, 5
	checksEach                = 2
	// leastSample is how long a sample takes at least.
	leastSample = 30 * time.Microsecond
	// leastPiece is how long a piece of a launch takes at least, if that is known before: each
	// takes some 2 µs more to begin and to measure.
	leastPiece = 2 * leastSample
	// longSample is how long work takes of which the first piece counts as well,
	// and a single one may tell.
	longSample  = time.Millisecond
	longSamples = 2 * time.Millisecond
	// clear is how many times slower the slower of two versions is if one sample
	// tells, a long one and a short one.
	clearLong, clearShort = 1.5, 3.0
	// likely is the same if all of a few samples tell.
	likely, few = 1.3, 3
	// decisive is the same so that nothing else of the slower one's kind is tried,
	// and one whole launch of each is enough of a check.
	decisive = 2.2
	// advantage is what the rival must save to take over.
	advantage = 0.03
	// payback is how many times what sampling took production lasts.
	payback = 100
	// worthwhile is how many times what the others take to make must be left of a
	// launch that may be the only one.
	worthwhile = 10
	// leastPatience bounds patience from below.
	leastPatience = 500 * time.Microsecond
)

// newTuning decides among versions, the first of which is made.
func newTuning(patience time.Duration, versions ...version) *tuning {
	patience = max(patience, leastPatience)
	versions[0].made = true
	return &tuning{versions: versions, patience: patience, due: patience, forced: none}
}

// open is left of a launch that is known not to be the only one.
const open = time.Duration(math.MaxInt64)

// pick returns the version for the next piece of work, of a launch that is
// thought to take left from now on. If create is set, the caller must make it
// and say so before it uses it.
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

// isDue reports whether production has lasted long enough.
func (t *tuning) isDue() bool { return t.spent >= t.due || t.hurried && t.rounds == 0 }

// hurry sets whether to compare the versions at once.
func (t *tuning) hurry(on bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hurried = on
}

// hurrying reports whether that is set.
func (t *tuning) hurrying() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.hurried
}

// undecided reports whether versions have still to be compared for the first time, or the
// outcome to be checked.
func (t *tuning) undecided() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rounds == 0 || t.check.left > 0
}

// piece is how many work-items the versions need that are being compared.
func (t *tuning) piece() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.sampling {
		return 0
	}
	return max(t.versions[t.best].piece, t.versions[t.rival].piece)
}

// instead is the version to run in pieces of a launch that are made for versions that need
// so many work-items: the best, if i needs more.
func (t *tuning) instead(i int, piece uint64) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.versions[i].piece > piece {
		return t.best
	}
	return i
}

// forgetSpent lets production begin anew unless versions are compared already. The first launch
// takes longer than those after it, for it touches memory and code that nothing has touched:
// others, were they tried at once, would keep what is best from running for as long as it needs
// to show, as where branches must be learned.
func (t *tuning) forgetSpent() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.sampling && t.rounds == 0 {
		t.spent = 0
	}
}

// others is how many versions are tried if none is better than the first.
func (t *tuning) others() int {
	n := 0
	for _, v := range t.versions[1:] {
		if v.after <= 0 {
			n++
		}
	}
	return n
}

// made says that version i can be used or, unfit, cannot.
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
	if t.sampling && (t.rival == i || t.best == 0) {
		t.next()
	}
}

// record says that version i took d for some work-items, of a whole launch or of
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
	if v.time += d; v.time < leastSample {
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
	t.turn = t.rival
	rival := &t.versions[t.rival]
	n := len(rival.samples)
	if n == 0 {
		return
	}
	if n == samplesEach || n >= leastSamples && rival.sampled >= longSamples {
		if r := ratio(rival.samples, v.samples); r < 1-advantage {
			t.wins(1 / r)
		} else {
			t.loses(r)
		}
		return
	}
	if n >= few {
		enough = min(enough, likely)
	}
	switch all := leastRatios(rival.samples, v.samples); {
	case slices.Max(all) < 1/enough:
		t.wins(1 / slices.Max(all))
	case slices.Min(all) > enough:
		t.loses(slices.Min(all))
	}
}

// wins makes the rival the best, being so many times faster.
func (t *tuning) wins(times float64) {
	t.compared()
	if times > decisive {
		t.giveUp(t.best)
	}
	t.best = t.rival
	t.gain *= times
	t.next()
}

// loses goes on without the rival, which is so many times slower.
func (t *tuning) loses(times float64) {
	t.compared()
	if times > decisive {
		t.giveUp(t.rival)
	}
	t.next()
}

// compared notes how the rival did.
func (t *tuning) compared() {
	best, rival := &t.versions[t.best], &t.versions[t.rival]
	rival.over = best.over * ratio(rival.samples, best.samples)
}

// giveUp leaves out the rivals of the slower one's kind, unless the two that have been
// compared are both of that kind.
func (t *tuning) giveUp(slower int) {
	if t.versions[t.best].kind != t.versions[t.rival].kind {
		t.rivals = slices.DeleteFunc(t.rivals, func(i int) bool { return t.versions[i].kind == t.versions[slower].kind })
	}
}

// leastRatios returns how many times longer than the best a rival took each time:
// against the sample of the best before or after it, whichever is nearer, and not
// at all between them. Some parts of a range are more work than others.
func leastRatios(rival, best []float64) []float64 {
	out := make([]float64, len(rival))
	for i, x := range rival {
		out[i] = x / min(max(x, min(best[i], best[i+1])), max(best[i], best[i+1]))
	}
	return out
}

// ratio returns how many times longer than the best a rival took on the whole. Each
// sample is compared with the mean of the best's before and after it, which is
// right where work grows evenly, and wrong to either side as often where it leaps;
// a fifth at each end, which may have been disturbed, is left out.
func ratio(rival, best []float64) float64 {
	type pair struct{ rival, best float64 }
	pairs := make([]pair, len(rival))
	for i, x := range rival {
		pairs[i] = pair{x, (best[i] + best[i+1]) / 2}
	}
	slices.SortFunc(pairs, func(x, y pair) int { return cmp.Compare(x.rival*y.best, y.rival*x.best) })
	var sum pair
	for _, x := range pairs[len(pairs)/5 : len(pairs)-len(pairs)/5] {
		sum.rival += x.rival
		sum.best += x.best
	}
	return sum.rival / sum.best
}

// begin begins to sample all rivals.
func (t *tuning) begin() {
	t.rivals = t.rivals[:0]
	for i := range t.versions {
		if i != t.best && !t.versions[i].unfit {
			t.rivals = append(t.rivals, i)
		}
	}
	t.sampling, t.spent, t.before, t.gain, t.parts = true, 0, t.best, 1, false
	for i := range t.versions {
		t.versions[i].over = 0
	}
	t.versions[t.best].over = 1
	t.next()
}

// next goes on to the next rival, or to production.
func (t *tuning) next() {
	for len(t.rivals) > 0 && t.versions[t.rivals[0]].after != Always && t.versions[t.rivals[0]].after != t.best {
		t.rivals = t.rivals[1:]
	}
	if len(t.rivals) == 0 {
		t.sampling = false
		t.rounds++
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
	t.rival, t.rivals = t.rivals[0], t.rivals[1:]
	t.turn = t.best
	t.versions[t.rival].warm = false
	for _, i := range []int{t.best, t.rival} {
		v := &t.versions[i]
		v.items, v.time, v.samples, v.sampled = 0, 0, v.samples[:0], 0
	}
}

// steady reports whether the n-th launch is for one version, and which: the best that has
// been found, for now, or one that is being checked. While versions are compared, every
// second launch is as fast as it can be, unless there is a hurry.
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

// checked says how long version i took for a work-item in a whole launch.
func (t *tuning) checked(i int, ns float64) {
	c := &t.check
	turn := c.left % 2
	if i != c.of[turn] {
		return
	}
	c.least[turn] = min(c.least[turn], ns)
	if c.left--; c.left == 0 && c.least[0] < c.least[1] {
		t.best = c.of[0]
	}
}
