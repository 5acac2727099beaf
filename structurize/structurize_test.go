package structurize_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/structurize"
	"github.com/simtc/simtc/utest/canonical"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/widen"
)

var sixteen = structurize.Options{Options: widen.Options{Width: 16}}

func TestLinearize(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		f := canonical.Kernel(t, files)
		before := f.String()
		info := divergence.Analyze(f, divergence.Options{Width: 16})
		opt := options(t, files["options"])
		flow, err := structurize.Explain(f, info, opt)
		require.NoError(t, err)
		v, report, err := structurize.Linearize(f, info, opt)
		require.NoError(t, err)
		require.NoError(t, vir.Verify(v))
		require.Equal(t, before, f.String(), "the kernel stays as it is")
		canonical.RequireSame(t, f, v)
		return map[string]string{"kernel": before, "flow": flow, "counts": counts(report), "vir": v.String()}
	})
}

// options parses a list of option names.
func options(t *testing.T, text string) structurize.Options {
	opt := sixteen
	for _, name := range strings.Fields(text) {
		switch name {
		case "zeros":
			opt.Bypass = structurize.BypassAuto
		case "all-zeros":
			opt.Bypass = structurize.BypassAll
		case "ones":
			opt.Ones = structurize.OnesAuto
		case "all-ones":
			opt.Ones = structurize.OnesAll
		default:
			t.Fatalf("unknown option %s", name)
		}
	}
	return opt
}

// counts lists the nonzero counts of a report.
func counts(r *widen.Report) string {
	var lines []string
	for name, n := range r.Counts() {
		if n > 0 {
			lines = append(lines, fmt.Sprintf("%s %d\n", name, n))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// TestLinearizeRejects checks that Linearize verifies its preconditions.
func TestLinearizeRejects(t *testing.T) {
	for _, c := range canonical.Malformed {
		t.Run(c.Name, func(t *testing.T) {
			f := c.Kernel(t)
			info := divergence.Analyze(f, divergence.Options{Width: 16})
			_, _, err := structurize.Linearize(f, info, sixteen)
			require.ErrorContains(t, err, "structurize: kernel f")
			require.ErrorContains(t, err, c.Want)
			_, explained := structurize.Explain(f, info, sixteen)
			require.Equal(t, err, explained)
		})
	}
}
