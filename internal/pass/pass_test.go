package pass_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/pass"
)

// trace is a unit to which each pass appends its name.
type trace struct{ names []string }

func (t *trace) String() string { return strings.Join(t.names, " ") }

func adds(name string) func(*trace, pass.Stats) {
	return func(t *trace, st pass.Stats) {
		t.names = append(t.names, name)
		st.Add(name, 1)
	}
}

func list() pass.List[*trace] {
	return pass.List[*trace]{
		Stage: "test",
		Passes: []pass.Pass[*trace]{
			{Name: "a", Run: adds("a"), Required: true}, {Name: "b", Run: adds("b"), After: []string{"a"}},
			{Name: "a", Run: adds("a")}, {Name: "c", Run: adds("c")},
		},
		Check: func(t *trace) error {
			if strings.HasSuffix(t.String(), "b a") {
				return errors.New("a follows b")
			}
			return nil
		},
	}
}

func TestRunsInOrder(t *testing.T) {
	var u trace
	c := pass.Context{Stats: pass.Stats{}}
	require.NoError(t, list().Run(&u, &c))
	require.Equal(t, "a b a c", u.String())
	require.Equal(t, pass.Stats{"a": 2, "b": 1, "c": 1}, c.Stats)
	require.NoError(t, list().Run(&u, nil))
}

// A required run of a pass stays when its other runs are disabled.
func TestDisabled(t *testing.T) {
	for names, want := range map[string]string{"a": "a b c", "test/b": "a a c", "other/b": "a b a c", "b,c": "a a"} {
		var u trace
		require.NoError(t, list().Run(&u, &pass.Context{Disabled: strings.Split(names, ",")}))
		require.Equal(t, want, u.String(), names)
	}
}

// The error names the stage, the pass and which of its runs it was.
func TestVerifyNamesThePass(t *testing.T) {
	var u trace
	require.EqualError(t, list().Run(&u, &pass.Context{Verify: true}), "after pass test/a (2): a follows b")
	require.Equal(t, "a b a", u.String(), "later passes do not run")
}

func TestDump(t *testing.T) {
	var u trace
	var dumped []string
	c := pass.Context{DumpAfter: []string{"a", "test/c"}, Dump: func(s pass.Step, ir fmt.Stringer) {
		dumped = append(dumped, fmt.Sprint(s, ": ", ir))
	}}
	require.NoError(t, list().Run(&u, &c))
	require.Equal(t, []string{"test/a (1): a", "test/a (2): a b a", "test/c: a b a c"}, dumped)
}

func TestCosts(t *testing.T) {
	var u trace
	c := pass.Context{Costs: &pass.Costs{}}
	require.NoError(t, list().Run(&u, &c))
	costs := c.Costs.List()
	require.Len(t, costs, 3)
	require.Equal(t, "a", costs[0].Name)
	require.Equal(t, 2, costs[0].Runs)
	require.Positive(t, costs[0].Allocs)
	require.Positive(t, costs[0].Time)
}

// A conversion to another form of IR is checked and printed like a pass.
func TestConvert(t *testing.T) {
	bad := errors.New("bad")
	convert := func() (*trace, error) { return &trace{[]string{"x"}}, nil }
	u, err := pass.Convert(nil, "test", "convert", convert, func(*trace) error { return bad })
	require.NoError(t, err)
	require.Equal(t, "x", u.String())
	_, err = pass.Convert(&pass.Context{Verify: true}, "test", "convert", convert, func(*trace) error { return bad })
	require.EqualError(t, err, "after pass test/convert: bad")
	_, err = pass.Convert(nil, "test", "convert", func() (*trace, error) { return nil, bad }, nil)
	require.Equal(t, bad, err)
}

func TestMisplaced(t *testing.T) {
	l := list()
	require.NoError(t, pass.Misplaced(l.Describe()))
	l.Passes[0], l.Passes[1] = l.Passes[1], l.Passes[0]
	require.EqualError(t, pass.Misplaced(l.Describe()), "pass test/b must run after a")
	l.Passes[0].After = []string{"missing"}
	require.Error(t, pass.Misplaced(l.Describe()))
}

func TestUnknown(t *testing.T) {
	l := list().Describe()
	_, unknown := pass.Unknown([]string{"a", "test/b"}, l)
	require.False(t, unknown)
	name, unknown := pass.Unknown([]string{"a", "other/b"}, l)
	require.True(t, unknown)
	require.Equal(t, "other/b", name)
}
