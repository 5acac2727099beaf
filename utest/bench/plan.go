package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/simtc/simtc"
)

// planRow compares what the compiler expects of a width with what it measures.
// Both costs are relative to the best width of the kernel.
type planRow struct {
	Kernel    string  `json:"kernel"`
	Width     int     `json:"width"`
	Predicted float64 `json:"predicted"`
	Measured  float64 `json:"measured"`
	Chosen    bool    `json:"chosen"`
}

// closeTo is how much slower than the best width a good choice may be.
const closeTo = 1.1

// planTable measures every width that the compiler may choose and prints how
// well its costs foretell them.
func (s *settings) planTable(ctx context.Context, kernels []*benchmark) (ok bool, err error) {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	var head []int
	ok = true
	good := 0
	var lost, ranks float64
	for i, b := range kernels {
		rows, fine, err := s.planOne(ctx, b)
		if err != nil {
			return false, fmt.Errorf("%s: %w", b.name, err)
		}
		ok = ok && fine
		if head == nil && !s.json {
			fmt.Printf("Predicted/measured cost of each width, relative to the kernel's best; * is chosen.\n\n")
			fmt.Fprint(out, left("kernel")+"\t")
			for _, r := range rows {
				head = append(head, r.Width)
				fmt.Fprintf(out, "x%d \t", r.Width)
			}
			fmt.Fprintln(out, "rank\t")
		}
		var predicted, measured []float64
		fmt.Fprint(out, left(b.name)+"\t")
		for _, r := range rows {
			predicted, measured = append(predicted, r.Predicted), append(measured, r.Measured)
			mark := " "
			if r.Chosen {
				mark = "*"
				lost += math.Log(r.Measured)
				if r.Measured <= closeTo {
					good++
				}
			}
			fmt.Fprintf(out, "%.2f/%.2f%s\t", r.Predicted, r.Measured, mark)
			if s.json {
				line, err := json.Marshal(r)
				if err != nil {
					return false, err
				}
				fmt.Println(string(line))
			}
		}
		rank := correlation(places(predicted), places(measured))
		ranks += rank
		fmt.Fprintf(out, "%.2f\t\n", rank)
		progress(i+1, len(kernels))
	}
	if s.json {
		return ok, nil
	}
	out.Flush()
	n := float64(len(kernels))
	fmt.Printf("\nWithin %.0f%% of the best: %d of %d; on the average %.1f%% slower than it. Mean rank correlation: %.2f\n",
		100*(closeTo-1), good, len(kernels), 100*(math.Exp(lost/n)-1), ranks/n)
	return ok, nil
}

// planOne measures one kernel.
func (s *settings) planOne(ctx context.Context, b *benchmark) (rows []planRow, ok bool, err error) {
	p, k, err := s.compileOnce(b, 0)
	if err != nil {
		return nil, false, err
	}
	defer p.Close()
	costs, err := k.Costs()
	if err != nil {
		return nil, false, err
	}
	all := *s
	all.widths = nil
	for _, c := range costs {
		all.widths = append(all.widths, c.Width)
	}
	runs, err := all.measure(ctx, b, false)
	if err != nil {
		return nil, false, err
	}
	least := slices.MinFunc(costs, func(a, b simtc.Cost) int { return cmp.Compare(a.PerItem, b.PerItem) }).PerItem
	best := slices.MinFunc(runs, func(a, b row) int { return cmp.Compare(a.Simtc, b.Simtc) }).Simtc
	for i, c := range costs {
		if runs[i].Note != "" {
			return nil, false, fmt.Errorf("width %d: %s", c.Width, strings.TrimSpace(runs[i].Note))
		}
		rows = append(rows, planRow{b.name, c.Width, c.PerItem / least, runs[i].Simtc / best, c.Chosen})
	}
	return rows, true, nil
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
