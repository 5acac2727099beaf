package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/simtc/simtc"
)

// wayRow compares what the compiler expects of a way to compile a kernel with
// what it measures, in ns for each work-item.
type wayRow struct {
	Kernel    string  `json:"kernel"`
	Way       string  `json:"way"`
	Predicted float64 `json:"predicted"`
	Measured  float64 `json:"measured"`
	Again     float64 `json:"again"` // measured once more, to compare it with others by
	Chosen    bool    `json:"chosen"`
	Unsure    bool    `json:"unsure,omitempty"` // only launches choose it
	Turn      int     `json:"turn,omitempty"`   // when launches try it besides
	After     string  `json:"after,omitempty"`  // if that way is the fastest by then

	way simtc.Way
}

// choice sums up a kernel. Which ways are the best is told by one measurement, how much
// better they are by another: the least of many times is lucky, and would not be so again.
type choice struct {
	kernel       string
	own          float64 // the choice over the best way that needs no launches to choose it
	chosen, best wayRow
	tuned        float64 // the best of the choice and what launches try besides
	forced       float64 // the choice over the better of the two linearizers' own
	width        float64 // the choice over the best of the widths' own
	rank         float64
}

func (c choice) ratio() float64 { return c.chosen.Again / c.best.Again }

// closeTo is how much slower than the best way a good choice may be.
const closeTo = 1.1

// planTable measures the ways that the compiler may choose from and prints how
// well its costs foretell them.
func (s *settings) planTable(ctx context.Context, kernels []*benchmark) (ok bool, err error) {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	if !s.json {
		fmt.Printf("ns for each work-item. ratio: the choice over the best way; tuned: what launches find, over it;\nlinearizer, width: the choice over the best that forcing one would give; rank: of predicted and measured times.\n\n")
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
			c.kernel, c.chosen.Way, c.chosen.Again, c.best.Way, c.best.Again, c.ratio(), c.tuned/c.best.Again, c.forced, c.width, c.rank)
		progress(i+1, len(kernels))
	}
	if s.json {
		return true, nil
	}
	out.Flush()
	fmt.Println(summary(all))
	return true, nil
}

// summary says how good choices are on the whole.
func summary(all []choice) string {
	n := float64(len(all))
	good, own, tuned, forced, width := 0, 0, 0, 0, 0
	var lost, ranks float64
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
		ranks += c.rank
	}
	return fmt.Sprintf("\nWithin %.0f%% of the best way: %d of %d (%.0f%%); on the average %.1f%% slower than it; once launches have tuned it: %d.\n"+
		"Within %.0f%% of the best way that is not left to launches: %d; of the better linearizer: %d; of the best width: %d. Mean rank correlation: %.2f",
		100*(closeTo-1), good, len(all), 100*float64(good)/n, 100*(math.Exp(lost/n)-1), tuned, 100*(closeTo-1), own, forced, width, ranks/n)
}

// planOne measures the ways to compile one kernel, in turns, all on the same
// buffers. Those that are far from the best are not measured to the end.
func (s *settings) planOne(ctx context.Context, b *benchmark) (c choice, rows []wayRow, err error) {
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
		if !s.wants(cost.Way) && !cost.Chosen {
			continue
		}
		after := ""
		if cost.After >= 0 {
			after = wayName(costs[cost.After].Way)
		}
		y := *x
		if y.kernel, err = x.kernel.With(cost.Way); err != nil {
			return c, nil, err
		}
		if err := y.kernel.Build(); err != nil {
			return c, nil, err
		}
		runs = append(runs, &y)
		rows = append(rows, wayRow{Kernel: b.name, Way: wayName(cost.Way), Predicted: cost.PerItem, Chosen: cost.Chosen, Unsure: cost.Unsure, Turn: cost.Turn, After: after, way: cost.Way})
	}
	items := 1.0
	for _, n := range b.command.Global {
		items *= float64(n)
	}
	times, again := make([][]float64, len(runs)), make([][]float64, len(runs))
	for round := range 2*s.runs + 1 {
		best := math.Inf(1)
		for _, r := range rows {
			if round > 0 && r.Measured > 0 {
				best = min(best, r.Measured)
			}
		}
		for i, y := range runs {
			r := &rows[i]
			if round > 2 && times[i][0] > far*best && !r.Chosen {
				continue // disturbed once, but hardly twice
			}
			if round > 0 && b.command.Reset || round == 0 && r.Chosen {
				if err := y.Reset(); err != nil {
					return c, nil, err
				}
			}
			t, err := y.Run()
			if err != nil {
				return c, nil, fmt.Errorf("%s: %w", r.Way, err)
			}
			switch t := float64(t.CPU) / items; {
			case round > s.runs:
				again[i] = append(again[i], t)
				r.Again = low(again[i])
			case round > 0:
				times[i] = append(times[i], t)
				r.Measured = low(times[i])
				r.Again = r.Measured
			}
			if round == 0 && r.Chosen {
				if note := b.judge(y.checksums(), nil); note != "" {
					return c, nil, fmt.Errorf("%s: %s", r.Way, note)
				}
			}
		}
	}
	return c, rows, s.sumUp(&c, rows, x.kernel)
}

func wayName(w simtc.Way) string {
	if w.Bypass == simtc.BypassZeros {
		return fmt.Sprintf("%s x%d", w.Linearizer, w.Width)
	}
	return fmt.Sprintf("%s %s x%d", w.Linearizer, w.Bypass, w.Width)
}

// low is the least of times that another confirms: the clocks of virtual
// machines skip now and then.
func low(times []float64) float64 {
	slices.Sort(times)
	return times[min(1, len(times)-1)]
}

// far is how much slower than the best a way must be not to be measured again.
const far = 1.6

// wants reports whether the flags ask for a way.
func (s *settings) wants(w simtc.Way) bool {
	return (s.linearize == "auto" || s.linearize == w.Linearizer) && (slices.Contains(s.widths, 0) || slices.Contains(s.widths, w.Width))
}

// tuned is what launches go on with once they have tried what they do.
func tuned(best wayRow, rows []wayRow) wayRow {
	rivals := slices.DeleteFunc(slices.Clone(rows), func(r wayRow) bool { return r.Turn == 0 })
	slices.SortFunc(rivals, func(x, y wayRow) int { return x.Turn - y.Turn })
	for _, r := range rivals {
		if (r.After == "" || r.After == best.Way) && r.Measured < best.Measured {
			best = r
		}
	}
	return best
}

// sumUp fills in c.
func (s *settings) sumUp(c *choice, rows []wayRow, k *simtc.Kernel) error {
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
	c.rank = correlation(places(predicted), places(measured))
	// over is the choice's time over that of the best of what the compiler makes of ways.
	over := func(ways []simtc.Way) (float64, error) {
		best := c.chosen
		for _, w := range ways {
			forced, err := k.With(w)
			if err != nil {
				return 0, err
			}
			made, err := forced.Way()
			if err != nil {
				return 0, err
			}
			for _, r := range rows {
				if r.way == made && r.Measured < best.Measured {
					best = r
				}
			}
		}
		return c.chosen.Again / best.Again, nil
	}
	var linearizers, widths []simtc.Way
	for _, l := range simtc.Linearizers() {
		linearizers = append(linearizers, simtc.Way{Target: k.Target(), Linearizer: l})
	}
	for _, r := range rows {
		if w := (simtc.Way{Target: k.Target(), Width: r.way.Width}); !slices.Contains(widths, w) {
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

// places gives each number's place among them; equal ones share the mean.
func places(xs []float64) []float64 {
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

// correlation is Pearson's coefficient: of places, Spearman's. It is 0 where
// one side is all the same.
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
