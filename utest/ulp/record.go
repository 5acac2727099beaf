package ulp

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// The recorded maxima: a line of tab-separated columns for each function and type, in the
// order of Functions:
//
//	function type mode count max x y got want
//
// Numbers are hexadecimal, except max, which is decimal ULP.
const header = "function\ttype\tmode\tcount\tmax\tx\ty\tgot\twant"

// Load reads recorded maxima.
func Load(file string) ([]*Result, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []*Result
	s := bufio.NewScanner(f)
	for line := 1; s.Scan(); line++ {
		if line == 1 {
			continue
		}
		r, err := parse(strings.Split(s.Text(), "\t"))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, line, err)
		}
		out = append(out, r)
	}
	return out, s.Err()
}

func parse(c []string) (*Result, error) {
	if len(c) != strings.Count(header, "\t")+1 {
		return nil, fmt.Errorf("%d columns", len(c))
	}
	r := &Result{Function: c[0], Mode: c[2]}
	if c[1] == Double.String() {
		r.Type = Double
	}
	var err error
	if r.Count, err = strconv.ParseUint(c[3], 10, 64); err != nil {
		return nil, err
	}
	for i, p := range []*float64{&r.Max, &r.X, &r.Y, &r.Got, &r.Want} {
		if *p, err = strconv.ParseFloat(c[4+i], 64); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Record puts results into the file, replacing older ones of the same function and type. A
// sweep does not replace a measurement of all arguments.
func Record(file string, results ...*Result) error {
	old, err := Load(file)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for _, r := range results {
		i := slices.IndexFunc(old, func(o *Result) bool { return o.Function == r.Function && o.Type == r.Type })
		if i < 0 {
			old = append(old, r)
		} else if old[i].Mode != "all" || r.Mode == "all" {
			old[i] = r
		}
	}
	place := map[string]int{}
	for i, f := range Functions {
		place[f.Name] = i
	}
	slices.SortStableFunc(old, func(a, b *Result) int {
		if d := place[a.Function] - place[b.Function]; d != 0 {
			return d
		}
		return int(a.Type) - int(b.Type)
	})
	var s strings.Builder
	s.WriteString(header + "\n")
	for _, r := range old {
		fmt.Fprintf(&s, "%s\t%s\t%s\t%d\t%s", r.Function, r.Type, r.Mode, r.Count, strconv.FormatFloat(round3(r.Max), 'g', -1, 64))
		for _, x := range []float64{r.X, r.Y, r.Got, r.Want} {
			s.WriteString("\t" + number(x))
		}
		s.WriteString("\n")
	}
	return os.WriteFile(file, []byte(s.String()), 0o644)
}

// round3 rounds up to three decimals.
func round3(x float64) float64 { return math.Ceil(x*1000) / 1000 }
