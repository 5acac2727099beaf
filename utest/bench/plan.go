package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/simtc/simtc"
)

// strategyRow compares the predicted with the measured cost of a strategy, in ns per
// work-item.
type strategyRow struct {
	Kernel    string  `json:"kernel"`
	Strategy  string  `json:"way"`
	Predicted float64 `json:"predicted"`
	Measured  float64 `json:"measured"`
	Again     float64 `json:"again"` // a second measurement, for comparisons
	Chosen    bool    `json:"chosen"`
	Unsure    bool    `json:"unsure,omitempty"` // only tuning at launch chooses it
	Turn      int     `json:"turn,omitempty"`   // its turn in tuning at launch; 0: none
	After     string  `json:"after,omitempty"`  // the strategy that must be the fastest by then

	strategy simtc.Strategy
}

// choice summarizes a kernel. The first measurement selects the best strategies, the second
// compares them: the minimum of many times is biased, and would not be reproduced.
type choice struct {
	kernel       string
	own          float64 // the choice over the best strategy that does not depend on tuning
	chosen, best strategyRow
	tuned        float64 // the best of the choice and the tuning candidates
	forced       float64 // the choice over the better of the two linearizers' choices
	width        float64 // the choice over the best of the widths' choices
	rank         float64
}

func (c choice) ratio() float64 { return c.chosen.Again / c.best.Again }

// closeTo is the maximum time of a good choice relative to the best strategy.
const closeTo = 1.1

// planTable measures the candidate strategies and prints the accuracy of the cost model.
func (s *settings) planTable(ctx context.Context, kernels []*benchmark) (ok bool, err error) {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	if !s.json {
		fmt.Printf("ns per work-item. ratio: the choice over the best strategy; tuned: the result of tuning over the best strategy;\nlinearizer, width: the choice over the best choice with one forced; rank: correlation of predicted and measured times.\n\n")
		fmt.Fprintln(out, "  kernel\tchosen\tns\tbest\tns\tratio\ttuned\tlinearizer\twidth\trank")
	}
	var all []choice
	for i, b := range kernels {
		c, rows, err := s.planOne(ctx, b)
		if err != nil {
			return false, fmt.Errorf("%s: %w", b.name, err)
		}
		for _, r := range rows {
			if !s.json {
				break
			}
			line, err := json.Marshal(r)
			if err != nil {
				return false, err
			}
			fmt.Println(string(line))
		}
		all = append(all, c)
		fmt.Fprintf(out, "  %s\t%s\t%.3g\t%s\t%.3g\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\n",
			c.kernel, c.chosen.Strategy, c.chosen.Again, c.best.Strategy, c.best.Again, c.ratio(), c.tuned/c.best.Again, c.forced, c.width, c.rank)
		progress(i+1, len(kernels))
	}
	if s.json {
		return true, nil
	}
	out.Flush()
	fmt.Println(summary(all))
	return true, nil
}

// summary describes the overall quality of choices.
func summary(all []choice) string {
	n := float64(len(all))
	good, own, tuned, forced, width := 0, 0, 0, 0, 0
	var lost, rankSum float64
	for _, c := range all {
		count := func(n *int, x float64) {
			if x <= closeTo {
				*n++
			}
		}
		count(&good, c.ratio())
		count(&own, c.own)
		count(&tuned, c.tuned/c.best.Again)
		count(&forced, c.forced)
		count(&width, c.width)
		lost += math.Log(c.ratio())
		rankSum += c.rank
	}
	return fmt.Sprintf("\nWithin %.0f%% of the best strategy: %d of %d (%.0f%%), and on average %.1f%% slower; after tuning: %d.\n"+
		"Within %.0f%% of the best strategy that is not left to tuning: %d; of the better linearizer: %d; of the best width: %d. Mean rank correlation: %.2f",
		100*(closeTo-1), good, len(all), 100*float64(good)/n, 100*(math.Exp(lost/n)-1), tuned, 100*(closeTo-1), own, forced, width, rankSum/n)
}

// planOne measures the strategies for one kernel, alternating between them, on the same
// buffers. Those far from the best get fewer measurements.
func (s *settings) planOne(ctx context.Context, b *benchmark) (c choice, rows []strategyRow, err error) {
	c.kernel = b.name
	x, err := s.build(ctx, b, 0, false, &row{})
	if err != nil {
		return c, nil, err
	}
	defer x.close()
	if x.kernel, err = x.fitted(); err != nil {
		return c, nil, err
	}
	costs, err := x.kernel.Costs()
	if err != nil {
		return c, nil, err
	}
	var runs []*subject
	for _, cost := range costs {
		if !s.wants(cost.Strategy) && !cost.Chosen {
			continue
		}
		after := ""
		if cost.After >= 0 {
			after = strategyName(costs[cost.After].Strategy)
		}
		y := *x
		if y.kernel, err = x.kernel.With(cost.Strategy); err != nil {
			return c, nil, err
		}
		if err := y.kernel.Build(); err != nil {
			return c, nil, err
		}
		runs = append(runs, &y)
		rows = append(rows, strategyRow{Kernel: b.name, Strategy: strategyName(cost.Strategy), Predicted: cost.PerItem, Chosen: cost.Chosen, Unsure: cost.Unsure, Turn: cost.Turn, After: after, strategy: cost.Strategy})
	}
	t := contest{subjects: runs, rows: rows}
	if err := t.run(b, s.runs); err != nil {
		return c, nil, err
	}
	return c, rows, s.summarize(&c, rows, x.kernel)
}

// contest measures strategies for one kernel in turns, and the driver if there is one.
type contest struct {
	subjects []*subject
	rows     []strategyRow // of the subjects
	driver   runner        // nil: none
	driverNS float64       // the driver's time in ns per work-item
	everySum bool          // check the results of all strategies, not only of the chosen one
}

// run measures each strategy twice, the given number of times each, and the driver as often as
// in one of the two. Strategies far from the best get fewer measurements. Their order varies, as
// a run affects the caches for the next. The driver has turns of several runs, as in measure.
func (c *contest) run(b *benchmark, runs int) error {
	items := 1.0
	for _, n := range b.command.Global {
		items *= float64(n)
	}
	times, second := make([][]float64, len(c.subjects)), make([][]float64, len(c.subjects))
	var driver []float64
	shuffled := rand.New(rand.NewPCG(1, 2))
	for run := range 2*runs + 1 {
		best := math.Inf(1)
		for _, r := range c.rows {
			if run > 0 && r.Measured > 0 {
				best = min(best, r.Measured)
			}
		}
		for _, i := range shuffled.Perm(len(c.subjects)) {
			y, r := c.subjects[i], &c.rows[i]
			if run > 2 && times[i][0] > far*best && !r.Chosen {
				continue // disturbed once, but hardly twice
			}
			checks := run == 0 && (r.Chosen || c.everySum)
			if run > 0 && b.command.Reset || checks {
				if err := y.Reset(); err != nil {
					return err
				}
			}
			t, err := y.Run()
			if err != nil {
				return fmt.Errorf("%s: %w", r.Strategy, err)
			}
			switch t := float64(t.CPU) / items; {
			case run > runs:
				second[i] = append(second[i], t)
				r.Again = low(second[i])
			case run > 0:
				times[i] = append(times[i], t)
				r.Measured = low(times[i])
				r.Again = r.Measured
			}
			if checks {
				if note := b.judge(y.checksums(), nil); note != "" {
					return fmt.Errorf("%s: %s", r.Strategy, note)
				}
			}
		}
		if c.driver == nil || run%(2*runsInTurn) != 0 {
			continue
		}
		for range min(runsInTurn, runs-len(driver)) {
			if b.command.Reset {
				if err := c.driver.Reset(); err != nil {
					return err
				}
			}
			t, err := c.driver.Run()
			if err != nil {
				return err
			}
			driver = append(driver, float64(t.CPU)/items)
		}
		c.driverNS = low(driver)
	}
	return nil
}

func strategyName(w simtc.Strategy) string {
	if w.Bypass == simtc.BypassZeros {
		return fmt.Sprintf("%s x%d", w.Linearizer, w.Width)
	}
	return fmt.Sprintf("%s %s x%d", w.Linearizer, w.Bypass, w.Width)
}

// low returns the second smallest time, which confirms the smallest: clocks of virtual
// machines sometimes skip.
func low(times []float64) float64 {
	slices.Sort(times)
	return times[min(1, len(times)-1)]
}

// far is the time relative to the best above which a strategy is not measured again.
const far = 1.6

// wants reports whether the flags select a strategy.
func (s *settings) wants(w simtc.Strategy) bool {
	return (s.linearize == "auto" || s.linearize == w.Linearizer) && (slices.Contains(s.widths, 0) || slices.Contains(s.widths, w.Width))
}

// tuned returns the strategy that tuning at launch ends with.
func tuned(best strategyRow, rows []strategyRow) strategyRow {
	candidates := slices.DeleteFunc(slices.Clone(rows), func(r strategyRow) bool { return r.Turn == 0 })
	slices.SortFunc(candidates, func(x, y strategyRow) int { return x.Turn - y.Turn })
	for _, r := range candidates {
		if (r.After == "" || r.After == best.Strategy) && r.Measured < best.Measured {
			best = r
		}
	}
	return best
}

// summarize fills in c.
func (s *settings) summarize(c *choice, rows []strategyRow, k *simtc.Kernel) error {
	var predicted, measured []float64
	for i, r := range rows {
		predicted, measured = append(predicted, r.Predicted), append(measured, r.Measured)
		if r.Chosen {
			c.chosen = r
		}
		if i == 0 || r.Measured < c.best.Measured {
			c.best = r
		}
	}
	c.tuned = tuned(c.chosen, rows).Again
	own := c.chosen
	for _, r := range rows {
		if !r.Unsure && r.Measured < own.Measured {
			own = r
		}
	}
	c.own = c.chosen.Again / own.Again
	c.rank = correlation(ranks(predicted), ranks(measured))
	// over returns the choice's time over that of the best of the given strategies, as
	// compiled.
	over := func(strategies []simtc.Strategy) (float64, error) {
		best := c.chosen
		for _, w := range strategies {
			forced, err := k.With(w)
			if err != nil {
				return 0, err
			}
			made, err := forced.Strategy()
			if err != nil {
				return 0, err
			}
			for _, r := range rows {
				if r.strategy == made && r.Measured < best.Measured {
					best = r
				}
			}
		}
		return c.chosen.Again / best.Again, nil
	}
	var linearizers, widths []simtc.Strategy
	for _, l := range simtc.Linearizers() {
		linearizers = append(linearizers, simtc.Strategy{Target: k.Target(), Linearizer: l})
	}
	for _, r := range rows {
		if w := (simtc.Strategy{Target: k.Target(), Width: r.strategy.Width}); !slices.Contains(widths, w) {
			widths = append(widths, w)
		}
	}
	var err error
	if c.forced, err = over(linearizers); err != nil {
		return err
	}
	c.width, err = over(widths)
	return err
}

// ranks returns each number's rank among them; equal ones share the mean.
func ranks(xs []float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		for _, y := range xs {
			switch {
			case y < x:
				out[i]++
			case y == x:
				out[i] += 0.5
			}
		}
	}
	return out
}

// correlation is Pearson's coefficient; of ranks, Spearman's. It is 0 if one side is
// constant.
func correlation(xs, ys []float64) float64 {
	n := float64(len(xs))
	var mx, my float64
	for i := range xs {
		mx += xs[i] / n
		my += ys[i] / n
	}
	var xy, xx, yy float64
	for i := range xs {
		xy += (xs[i] - mx) * (ys[i] - my)
		xx += (xs[i] - mx) * (xs[i] - mx)
		yy += (ys[i] - my) * (ys[i] - my)
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}
