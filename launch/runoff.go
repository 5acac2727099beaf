package launch

import (
	"cmp"
	"math"
	"slices"
	"time"
)

const (
	// Each finalist has runOffTurns turns of inRow launches each. The first launch of a
	// turn does not count: its caches and branch predictors were trained by another version.
	runOffTurns, inRow = 3, 3
	// maxFinalists bounds the versions in a run-off besides the previous best, finalistLimit
	// their time relative to the fastest.
	maxFinalists, finalistLimit = 4, 1.35
)

// runOff compares the finalistLimit versions again, by several launches in a row. Samples are
// taken in turns; in those, a version that depends on trained branch predictors looks
// slower than it is.
func (t *Tuned) runOff(end time.Time, launch func() error) error {
	of := t.finalists()
	if len(of) < 2 {
		return nil
	}
	defer t.force(none)
	fastest := slices.Repeat([]float64{math.Inf(1)}, len(of))
	for range runOffTurns {
		turn := slices.Clone(fastest)
		for k, i := range of {
			t.force(i)
			for n := range inRow {
				if t.now().After(end) {
					return nil
				}
				if err := launch(); err != nil {
					return err
				}
				if took := math.Float64frombits(t.took.Load()); n > 0 {
					turn[k] = min(turn[k], took)
				}
			}
		}
		fastest = turn
		t.settle(of[slices.Index(fastest, slices.Min(fastest))])
	}
	return nil
}

// none is the number of no version.
const none = -1

// force has all launches run version i; none restores the regular choice.
func (t *tuning) force(i int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forced = i
}

// settle makes version i the best for the next production phase.
func (t *tuning) settle(i int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.best, t.spent = i, 0
}

// finalists returns the fastest versions of the comparison, including the previous best
// unless it was much slower.
func (t *tuning) finalists() []int {
	t.mu.Lock()
	defer t.mu.Unlock()
	var of []int
	fastest := math.Inf(1)
	for i, v := range t.versions {
		if v.over > 0 && !v.unfit {
			of = append(of, i)
			fastest = min(fastest, v.over)
		}
	}
	slices.SortStableFunc(of, func(x, y int) int { return cmp.Compare(t.versions[x].over, t.versions[y].over) })
	n := 0
	return slices.DeleteFunc(of, func(i int) bool {
		limit := finalistLimit
		if n++; i == t.before {
			limit = decisive
		} else if n > maxFinalists {
			return true
		}
		return t.versions[i].over > limit*fastest
	})
}
