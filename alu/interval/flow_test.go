package interval_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/alu/interval"
	"github.com/simtc/simtc/cfg"
)

// counting is a loop:
//
//	b0: jump b1(0)
//	b1(i): branch i < limit, b2, b3
//	b2: jump b1(i + 3)
//	b3: r = i >= 1000 ? i : 7
func counting(limit interval.Value) *interval.Function {
	const i, zero, end, less, three, next, many, large, seven, r = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
	constant := func(bits uint64) interval.Value {
		return interval.Value{Kind: interval.Constant, Type: alu.I32, Bits: bits}
	}
	computed := func(block int32, op alu.Op, t alu.Type, args ...int32) interval.Value {
		operand := alu.I32
		if op == alu.Select {
			operand = alu.I1
		}
		return interval.Value{Kind: interval.Computed, Op: op, Type: t, Operand: operand, Args: args, Block: block}
	}
	return &interval.Function{
		Values: []interval.Value{
			i:    {Kind: interval.Param, Type: alu.I32, Args: []int32{0}, Block: 1},
			zero: constant(0), end: limit, three: constant(3), many: constant(1000), seven: constant(7),
			less:  computed(1, alu.Slt, alu.I1, i, end),
			next:  computed(2, alu.Add, alu.I32, i, three),
			large: computed(3, alu.Sle, alu.I1, many, i),
			r:     computed(3, alu.Select, alu.I32, large, i, seven),
		},
		Blocks: []interval.Block{
			{Values: []int32{end}},
			{Values: []int32{i, less}, In: []interval.Edge{{From: 0, Args: []int32{zero}}, {From: 2, Args: []int32{next}}}},
			{Values: []int32{next}, In: []interval.Edge{{From: 1, Branch: true, Cond: less, Yes: true}}},
			{Values: []int32{large, r}, In: []interval.Edge{{From: 1, Branch: true, Cond: less}}},
		},
		Order: []int{0, 1, 2, 3},
		Dom:   cfg.Dominators(cfg.NewGraph([][]int{{1}, {2, 3}, {1}, {}})),
	}
}

func TestFlowOfLoop(t *testing.T) {
	signed := func(k *interval.Flow, v, b int) [2]int64 { x := k.At(v, b); return [2]int64{x.SLo, x.SHi} }
	k := interval.FlowOf(counting(interval.Value{Kind: interval.Constant, Type: alu.I32, Bits: 500}))
	require.Equal(t, [2]int64{0, 502}, signed(k, 0, 1), "what the loop counts")
	require.Equal(t, [2]int64{0, 499}, signed(k, 0, 2), "in its body")
	require.Equal(t, [2]int64{3, 502}, signed(k, 5, 2))
	require.Equal(t, [2]int64{500, 502}, signed(k, 0, 3), "behind it")
	never, ok := k.Of(7).Constant()
	require.True(t, ok)
	require.Zero(t, never)
	require.Equal(t, [2]int64{7, 7}, signed(k, 9, 3))
	require.True(t, k.Known(9))
	require.False(t, k.Known(10))

	// A limit that varies still bounds the counter.
	k = interval.FlowOf(counting(interval.Value{Kind: interval.Given, Type: alu.I32, Given: interval.Signed(alu.I32, 0, 5000)}))
	require.Equal(t, [2]int64{0, 4999}, signed(k, 0, 2))
	require.Equal(t, [2]int64{7, 5002}, signed(k, 9, 3), "i is chosen where it is 1000 and more")
}
