package launch

import (
	"cmp"
	"math"
	"slices"
	"time"
)

const (
	// runOffTurns is how many turns finalists have, and inRow of how many launches each: the
	// first of them, which finds caches and branch predictors as another left them, does not
	// count.
	runOffTurns, inRow = 3, 3
	// mostFinalists and closest are how many versions there are in a run-off besides the one
	// that was the best before, and how many times slower than the best they may have been.
	mostFinalists, closest = 4, 1.35
)

// runOff compares the versions that came close to each other once more, by launches in a row.
// Samples are taken in turns: one that lives on what the processor has learned from the launch
// before, as code with many branches does, looks slower in them than it is.
func (t *Tuned) runOff(end time.Time, launch func() error) error {
	of := t.finalists()
	if len(of) < 2 {
		return nil
	}
	defer t.force(none)
	least := slices.Repeat([]float64{math.Inf(1)}, len(of))
	for range runOffTurns {
		turn := slices.Clone(least)
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
		least = turn
		t.settle(of[slices.Index(least, slices.Min(least))])
	}
	return nil
}

// none is no version.
const none = -1

// force has all launches run version i; none: the one whose turn it is.
func (t *tuning) force(i int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forced = i
}

// settle makes version i the best, for as long as production lasts.
func (t *tuning) settle(i int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.best, t.spent = i, 0
}

// finalists are the versions that took the least time when they were compared, the best before
// included unless it was much slower.
func (t *tuning) finalists() []int {
	t.mu.Lock()
	defer t.mu.Unlock()
	var of []int
	least := math.Inf(1)
	for i, v := range t.versions {
		if v.over > 0 && !v.unfit {
			of = append(of, i)
			least = min(least, v.over)
		}
	}
	slices.SortStableFunc(of, func(x, y int) int { return cmp.Compare(t.versions[x].over, t.versions[y].over) })
	n := 0
	return slices.DeleteFunc(of, func(i int) bool {
		limit := closest
		if n++; i == t.before {
			limit = decisive
		} else if n > mostFinalists {
			return true
		}
		return t.versions[i].over > limit*least
	})
}
