package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/utest/opencl"
)

// shapeRow compares the strategies that the plan alone and tuning choose for a kernel with the
// fastest of all forced strategies, and with the driver. Times are CPU ms.
type shapeRow struct {
	Kernel    string  `json:"kernel"`
	Driver    float64 `json:"driver_cpu_ms,omitempty"`
	Plan      float64 `json:"plan_cpu_ms"`
	Tuned     float64 `json:"tuned_cpu_ms"`
	Best      float64 `json:"best_cpu_ms"`
	PlannedAs string  `json:"planned_as"`
	TunedAs   string  `json:"tuned_as"`
	BestAs    string  `json:"best_as"`
	Note      string  `json:"note"` // an error, or ""
}

// shapesTable measures the kernels and prints the rows and the geometric means of the ratios.
func (s *settings) shapesTable(ctx context.Context, kernels []*benchmark, driver string) (ok bool, err error) {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	if !s.json {
		if driver != "" {
			fmt.Printf("Driver: %s\n", driver)
		}
		fmt.Printf("CPU ms on one thread. plan: the plan's strategy without tuning; tuned: that found by tuning; best: the fastest\nforced strategy. d/x is the driver's time over x's, x/best x's over that of the best strategy.\n\n")
		fmt.Fprintln(out, left("kernel")+"\tdriver\tplan\ttuned\tbest\td/plan\td/tuned\tplan/best\ttuned/best\tplanned as\ttuned as\tbest as\t")
	}
	ok = true
	var means [4]mean
	for i, b := range kernels {
		r, err := s.shapeOne(ctx, b, driver != "")
		if err != nil {
			return false, fmt.Errorf("%s: %w", b.name, err)
		}
		ok = ok && r.Note == ""
		progress(i+1, len(kernels))
		if s.json {
			line, err := json.Marshal(r)
			if err != nil {
				return false, err
			}
			fmt.Println(string(line))
			continue
		}
		var ratios [4]string
		for i, x := range [][2]float64{{r.Driver, r.Plan}, {r.Driver, r.Tuned}, {r.Plan, r.Best}, {r.Tuned, r.Best}} {
			ratios[i] = "-"
			if x[0] > 0 && x[1] > 0 {
				ratios[i] = fmt.Sprintf("%.2f", x[0]/x[1])
				means[i].add(x[0] / x[1])
			}
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", left(r.Kernel), number(r.Driver), number(r.Plan), number(r.Tuned), number(r.Best),
			strings.Join(ratios[:], "\t"), r.PlannedAs, r.TunedAs, r.BestAs, r.Note)
	}
	if !s.json {
		fmt.Fprintf(out, "%s\t\t\t\t\t%s\t%s\t%s\t%s\t\t\t\t\n", left("geometric mean"), &means[0], &means[1], &means[2], &means[3])
		out.Flush()
	}
	return ok, nil
}

// shapeOne measures all strategies for one kernel. The first half of the runs selects the best
// one, the second half compares it, as for choice.
func (s *settings) shapeOne(ctx context.Context, b *benchmark, driver bool) (r shapeRow, err error) {
	r.Kernel = b.name
	x, err := s.build(ctx, b, 0, false, &row{})
	if err != nil {
		return r, err
	}
	defer x.close()
	var t contest
	var session *opencl.Session
	if driver {
		dir, err := os.MkdirTemp("", "simtc-bench")
		if err != nil {
			return r, err
		}
		defer os.RemoveAll(dir)
		c := b.command
		if c.File, err = b.writeSource(dir); err != nil {
			return r, err
		}
		c.Threads = 1
		if session, err = opencl.Open(ctx, c); err != nil {
			return r, err
		}
		defer session.Close()
		// Library functions may differ from the driver's in the last bits, so that its results
		// are compared with a tolerance; those of the strategies have to be exact.
		if _, err := session.Run(); err != nil {
			return r, err
		}
		if _, err := x.Run(); err != nil {
			return r, err
		}
		if r.Note, err = x.mismatch(session); err != nil {
			return r, err
		}
		t.driver = session
	}
	if err := x.kernel.Tune(ctx, tuneFor, x.rng, x.args...); err != nil {
		return r, err
	}
	if x.kernel, err = x.fitted(); err != nil {
		return r, err
	}
	planned, err := x.kernel.Strategy()
	if err != nil {
		return r, err
	}
	tuned, err := x.kernel.Fastest()
	if err != nil {
		return r, err
	}
	if err := s.force(&t, x, planned, tuned); err != nil {
		return r, err
	}
	t.everySum = true
	if err := t.run(b, s.runs); err != nil {
		return r, err
	}
	items := 1.0
	for _, n := range b.command.Global {
		items *= float64(n)
	}
	best := t.rows[0]
	for _, c := range t.rows {
		if c.Measured < best.Measured {
			best = c
		}
	}
	for _, c := range t.rows {
		if c.strategy == planned {
			r.Plan, r.PlannedAs = c.Again*items/1e6, shortName(c.strategy)
		}
		if c.strategy == tuned {
			r.Tuned, r.TunedAs = c.Again*items/1e6, shortName(c.strategy)
		}
	}
	r.Driver, r.Best, r.BestAs = t.driverNS*items/1e6, best.Again*items/1e6, shortName(best.strategy)
	return r, nil
}

// force adds the strategies to be measured: the two given ones, those that the plan compared,
// and every other one of the target.
func (s *settings) force(t *contest, x *subject, planned, tuned simtc.Strategy) error {
	all := []simtc.Strategy{planned, tuned}
	costs, err := x.kernel.Costs()
	if err != nil {
		return err
	}
	for _, c := range costs {
		all = append(all, c.Strategy)
	}
	others, err := x.kernel.Strategies(x.kernel.Target())
	if err != nil {
		return err
	}
	known := map[simtc.Strategy]bool{}
	for i, w := range append(all, others...) {
		if i > 1 && !s.wants(w) {
			continue
		}
		y := *x
		if y.kernel, err = x.kernel.With(w); err != nil {
			return err
		}
		if y.kernel, err = y.fitted(); err != nil { // lanes span rows only of groups of a known size
			return err
		}
		made, err := y.kernel.Strategy()
		if err != nil {
			return err
		}
		if known[made] {
			continue
		}
		known[made] = true
		if err := y.kernel.Build(); err != nil {
			return err
		}
		t.subjects = append(t.subjects, &y)
		t.rows = append(t.rows, strategyRow{Kernel: x.row.Kernel, Strategy: made.String(), Chosen: made == planned || made == tuned, strategy: made})
	}
	return nil
}

// shortName names a strategy without its target and the usual choices.
func shortName(w simtc.Strategy) string {
	if w.Linearizer == simtc.Partial {
		w.Linearizer = ""
	}
	if w.Bypass == simtc.BypassZeros {
		w.Bypass = ""
	}
	w.Target = ""
	return strings.ReplaceAll(strings.TrimSpace(w.String()), "iterations", "iter")
}
